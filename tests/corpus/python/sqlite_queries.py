"""SQLite in a file and in memory: joins, transactions, constraints, functions of one's own."""
import sqlite3

base = sqlite3.connect("shop.db")
base.executescript("""
    create table item(id integer primary key, name text unique not null, price real check (price >= 0));
    create table sale(item integer references item(id), number integer, day text);
""")
base.executemany("insert into item(name, price) values (?, ?)", [("tea", 2.5), ("cake", 4.0), ("søup", 6.25)])
base.executemany("insert into sale values (?, ?, ?)",
                 [(1, 3, "mon"), (2, 1, "mon"), (1, 2, "tue"), (3, 1, "wed")])
base.commit()
query = """select name, sum(number) as n, sum(number * price) from item join sale on item = id
           group by name order by n desc, name"""
for row in base.execute(query):
    print(row)
try:
    with base:
        base.execute("update item set price = price + 1")
        base.execute("insert into item(name, price) values ('tea', 1)")
except sqlite3.IntegrityError as error:
    print(error)
print(base.execute("select price from item where name = 'tea'").fetchone())
base.create_function("reverse", 1, lambda text: text[::-1])
base.row_factory = sqlite3.Row
row = base.execute("select reverse(name) as back, upper(name) as loud from item where id = 3").fetchone()
print(dict(row), row.keys())
steps = """with recursive n(i) as (select 1 union all select i * 3 from n where i < 500)
           select group_concat(i) from n"""
print(tuple(base.execute(steps).fetchone()))
base.close()
print(sqlite3.connect("shop.db").execute("select count(*) from sale").fetchone())
try:
    sqlite3.connect(":memory:").execute("select 1 from nowhere")
except sqlite3.OperationalError as error:
    print(error)

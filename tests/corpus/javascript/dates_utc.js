// Dates in UTC: arithmetic, overflow of fields, parsing, ISO, leap years, days between.
const moment = new Date(Date.UTC(2024, 1, 28, 23, 59, 30, 250));
console.log(moment.toISOString(), new Date(moment.getTime() + 60000).toISOString(), moment.getTime());
console.log(
  new Date("2023-11-05T01:30:00-05:00").toISOString(),
  Date.parse("1970-01-02T00:00:00Z"),
  new Date(NaN).getTime(),
);
const days = (a, b) => Math.round((Date.parse(b) - Date.parse(a)) / 86400000);
console.log(days("2024-01-01", "2024-12-31"), days("1999-12-31", "2000-03-01"));
console.log(
  new Date(Date.UTC(2023, 12, 0)).toISOString().slice(0, 10),
  new Date(Date.UTC(2024, 2, 0)).getUTCDate(),
);
console.log([1900, 2000, 2023, 2024].map((y) => new Date(Date.UTC(y, 1, 29)).getUTCMonth() === 1));
console.log(
  new Date(0).toUTCString(),
  new Date(8.64e15).toISOString(),
  JSON.stringify({ d: new Date(1e12) }),
);
console.log(
  new Intl.DateTimeFormat("en-GB", {
    timeZone: "UTC",
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
  }).format(moment),
);
const weekday = (text) => ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][new Date(text).getUTCDay()];
console.log(["1969-07-20", "2000-01-01", "2024-02-29"].map(weekday));
try {
  new Date("nonsense").toISOString();
} catch (error) {
  console.log(error.name);
}

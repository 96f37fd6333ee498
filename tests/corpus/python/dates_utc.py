"""Dates in UTC and with fixed offsets: arithmetic, formats, calendars, leap years."""
import calendar
import datetime as dt
import time

epoch = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
moment = dt.datetime(2024, 2, 28, 23, 59, 30, 250000, tzinfo=dt.timezone.utc)
print(moment.isoformat(), (moment + dt.timedelta(minutes=1)).isoformat(), moment.timestamp())
nepal = dt.timezone(dt.timedelta(hours=5, minutes=45), "NPT")
print(moment.astimezone(nepal).strftime("%Y-%m-%d %H:%M %Z %z"))
print((moment - epoch).days, dt.timedelta(seconds=-1), dt.timedelta(days=1.5).total_seconds())
print(dt.datetime.strptime("31 Dec 1999 11:59 PM", "%d %b %Y %I:%M %p"), dt.date(2024, 12, 30).isocalendar())
print(dt.datetime.fromisoformat("2023-11-05T01:30:00-05:00").astimezone(dt.timezone.utc))
print([year for year in range(1896, 1913) if calendar.isleap(year)], calendar.monthrange(2100, 2))
print(time.strftime("%A %d %B %Y %j %U", time.gmtime(1_000_000_000)),
      calendar.timegm((2038, 1, 19, 3, 14, 8)))
print(calendar.TextCalendar(6).formatmonth(2024, 2))
for bad in (lambda: dt.date(2023, 2, 29), lambda: dt.datetime.fromisoformat("2023-13-01"),
            lambda: moment - dt.datetime(2024, 1, 1)):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(error)

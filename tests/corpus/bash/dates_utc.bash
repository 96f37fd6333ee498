# Dates in UTC: arithmetic by the date program, formats, leap years, days between.
date -u -d @0 '+%Y-%m-%d %H:%M:%S %Z'
date -u -d '2024-02-28 23:59:30 UTC + 1 minute' +%FT%TZ
date -u -d '2024-01-31 UTC + 1 month' +%F
date -u -d '2023-11-05T01:30:00-05:00' +%s
days() { echo $((($(date -u -d "$2" +%s) - $(date -u -d "$1" +%s)) / 86400)); }
days 2024-01-01 2024-12-31
days 1999-12-31 2000-03-01
for year in 1900 2000 2023 2024; do
  if ((year % 4 == 0 && year % 100 || year % 400 == 0)); then echo "$year leap"; else echo "$year"; fi
done
LC_ALL=C date -u -d 2001-09-09 '+%A %d %B %j %V'
TZ=UTC printf '%(%a %e %b)T\n' 86400
date -u -d 'not a date' 2>/dev/null || echo "status $?"
TZ=XYZ-5:45 date -d @1709164770 +'%F %R %z'

module github.com/atoll-dev/atoll-go

go 1.23

module examples

go 1.23

require github.com/atoll-dev/atoll-go v0.0.0

replace github.com/atoll-dev/atoll-go => ../../sdk/go

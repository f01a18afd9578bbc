module github.com/slipstream-go/slipstream

go 1.26

module github.com/promptecho/promptecho

go 1.25.0

require github.com/sergi/go-diff v1.4.0

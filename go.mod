module github.com/promptecho/promptecho

go 1.25.0

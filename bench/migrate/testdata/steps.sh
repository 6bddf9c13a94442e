promptecho import .
# Edit one test, as below.
PROMPTECHO_MODE=none go test -run '^TestAnswer$' ./chat
# Edit the others.
PROMPTECHO_MODE=none go test ./...
promptecho verify .
git rm -r -q chat/testdata/fixtures title/testdata/title.httprr internal/httprr
go mod tidy

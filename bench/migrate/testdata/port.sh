promptecho import -o translate/testdata/cassettes ../service/tests/cassettes
mv translate/testdata/cassettes/translate.yaml translate/testdata/cassettes/TestTranslate.yaml
PROMPTECHO_MODE=none go test ./translate

set -e
promptecho serve -cassettes cassettes -- python3 -m pytest -p pytest_promptecho
promptecho serve -cassettes cassettes -- node --test capital.test.mjs

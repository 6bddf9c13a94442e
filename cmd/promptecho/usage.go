package main

const usage = `promptecho freezes LLM API calls in Go tests.

usage: promptecho COMMAND [flags]

  demo [-dir DIR]   record a short agent run against a built-in stand-in
                    provider, replay it without, and show what a miss looks like
  verify [-w] [PATH ...]
                    check that cassettes can be read, are complete and hold no
                    secret; -w brings seals and texts up to date. A folder
                    stands for all cassettes below it; the default is "."
  help              print this

The library is github.com/promptecho/promptecho; tests use its package echotest.
`

// A usageError is a wrong call.
type usageError string

func (e usageError) Error() string { return string(e) }

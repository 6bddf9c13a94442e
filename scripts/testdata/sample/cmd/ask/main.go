// Ask prints what a model answers. It reads the variables of OpenAI's SDKs.
package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	bot "example.com/app"
)

func main() {
	b := &bot.Bot{Client: http.DefaultClient, Base: cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"), Key: os.Getenv("OPENAI_API_KEY")}
	answer, err := b.Answer(context.Background(), strings.Join(os.Args[1:], " "))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
	fmt.Println(answer)
}

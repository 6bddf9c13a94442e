package echofake_test

import (
	"fmt"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// A script of two turns: the model calls a tool, and then it answers.
func Example() {
	t := &testing.T{} // yours
	p := echofake.New(t,
		echofake.ToolCall("get_weather", `{"city":"Paris"}`),
		echofake.Text("It is sunny in Paris."),
	)
	// p.Client() goes to the code under test, which asks twice.
	chat(t, p.Client(), "What is the weather in Paris?", weatherTool)
	chat(t, p.Client(), "The tool says: sunny.", weatherTool)

	for _, r := range p.Requests() {
		fmt.Println(r.Model, r.Last().Text)
	}
	// Output:
	// gpt-5.4-mini What is the weather in Paris?
	// gpt-5.4-mini The tool says: sunny.
}

// Conditions let one script serve several agents at once.
func ExampleWhen() {
	t := &testing.T{} // yours
	p := echofake.New(t,
		echofake.When(echofake.User("plan"), echofake.Text("1. Search.")),
		echofake.When(echofake.User("search"), echofake.Text("Found it.")),
	)
	fmt.Println(chat(t, p.Client(), "search for it").StatusCode)
	fmt.Println(chat(t, p.Client(), "plan it").StatusCode)
	// Output:
	// 200
	// 200
}

// A function answers by what it is asked.
func ExampleFunc() {
	t := &testing.T{} // yours
	echofake.New(t, echofake.Func(func(r *promptecho.Request) echofake.Turn {
		if !r.Offers("search") {
			return echofake.Error(400, "no tools")
		}
		return echofake.ToolCall("search", map[string]string{"q": r.Last().Text})
	}).Always())
}

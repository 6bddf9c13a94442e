package promptecho_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/promptecho/promptecho"
)

// A say is what one side of a conversation says.
type say struct {
	Text string `json:"text"`
}

// dialConcierge stands for the live session of an SDK.
func dialConcierge(context.Context) (promptecho.Stream[say, say], error) {
	panic("somebody pays")
}

// A session is opened in the run that records it. A replay has the messages of the other side,
// each as soon as the program has sent what it had sent before.
func ExampleWrapStream() {
	rec, err := promptecho.Open("testdata/cassettes/concierge.yaml")
	if err != nil {
		log.Fatal(err)
	}
	dial := promptecho.WrapStream(rec, "tool/concierge", dialConcierge)
	session, err := dial(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"Hello", "A table for two, please."} {
		if err := session.Send(say{text}); err != nil {
			log.Fatal(err)
		}
		answer, err := session.Recv()
		fmt.Println(answer.Text, err)
	}
	if err := session.CloseSend(); err != nil {
		log.Fatal(err)
	}
	_, err = session.Recv()
	fmt.Println(err == io.EOF)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Good evening. <nil>
	// At eight, by the window. <nil>
	// true
}

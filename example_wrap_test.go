package promptecho_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/promptecho/promptecho"
)

type payment struct {
	Amount   int    `json:"amount"`
	Currency string `json:"currency"`
}

var errDeclined = errors.New("the card was declined")

// chargeCard stands for a tool with an effect.
func chargeCard(_ context.Context, p payment) (string, error) {
	panic("somebody pays")
}

// A function is called in the run that records it. A replay has its results and its errors.
func ExampleWrap() {
	rec, err := promptecho.Open("testdata/cassettes/order.yaml")
	if err != nil {
		log.Fatal(err)
	}
	charge := promptecho.Wrap(rec, "tool/charge_card", chargeCard, promptecho.Sentinels(errDeclined))
	for _, amount := range []int{12, 900} {
		receipt, err := charge(context.Background(), payment{amount, "EUR"})
		fmt.Printf("%q, %v, declined: %v\n", receipt, err, errors.Is(err, errDeclined))
	}
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "charge ch_1", <nil>, declined: false
	// "", charging 900 EUR: the card was declined, declined: true
}

// What is frozen is never called, whatever the record mode.
func ExampleFrozen() {
	rec, err := promptecho.Open("testdata/cassettes/order.yaml",
		promptecho.Frozen("tool/charge_card"))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	charge := promptecho.Wrap(rec, "tool/charge_card", chargeCard, promptecho.Sentinels(errDeclined))
	for _, amount := range []int{12, 13} {
		receipt, err := charge(context.Background(), payment{amount, "EUR"})
		if miss := (*promptecho.MissError)(nil); errors.As(err, &miss) {
			fmt.Println(miss.Reason)
		} else {
			fmt.Printf("%q\n", receipt)
		}
	}
	// Output:
	// "charge ch_1"
	// the nearest recording differs in amount; Frozen forbids this call: to record it, remove that option for one run
}

// What is live is called, and everything else is replayed: to see what another version of
// a tool does to a recorded conversation. In a mode other than none, what comes of it is
// written to testdata/cassettes/order.derived.yaml.
func ExampleLive() {
	rec, err := promptecho.Open("testdata/cassettes/order.yaml",
		promptecho.Live("tool/charge_card"), promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		log.Fatal(err)
	}
	patient := func(_ context.Context, p payment) (string, error) { return "an invoice", nil }
	charge := promptecho.Wrap(rec, "tool/charge_card", patient, promptecho.Sentinels(errDeclined))
	for _, amount := range []int{12, 900} {
		receipt, err := charge(context.Background(), payment{amount, "EUR"})
		fmt.Printf("%q, %v\n", receipt, err)
	}
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// "an invoice", <nil>
	// "an invoice", <nil>
}

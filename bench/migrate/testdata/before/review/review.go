// Package review lets a model judge code.
package review

import (
	"context"
	"fmt"
)

// A Model answers questions.
type Model interface {
	Ask(ctx context.Context, question string) (string, error)
}

// Judge returns yes or no. It asks again if the model says neither.
func Judge(ctx context.Context, model Model, code string) (string, error) {
	question := "Is this code correct? Say yes or no: " + code
	for range 3 {
		answer, err := model.Ask(ctx, question)
		if err != nil {
			return "", err
		}
		if answer == "yes" || answer == "no" {
			return answer, nil
		}
		question = fmt.Sprintf("You said %q. %s", answer, question)
	}
	return "", fmt.Errorf("review: no answer after three questions")
}

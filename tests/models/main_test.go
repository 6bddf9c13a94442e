// What another model changes: recorded calls are asked of it, and tests run on its answers.
package models_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// newModel is the model that takes the place of others in all tests of the package. The variable
// has an effect only in the modes that ask other models.
const newModel = "model-new"

// keptModel is a model of embeddings, in whose place another one is asked by name.
const keptModel = "embed-old"

func TestMain(m *testing.M) {
	environ.Clear()
	os.Setenv(modelswap.ModelVariable, newModel+","+keptModel+"=embed-new")
	environ.HideFlags("test.run", "test.skip", "test.short")
	os.Exit(m.Run())
}

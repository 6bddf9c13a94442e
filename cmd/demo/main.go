// Command demo is promptecho demo by itself. It needs no module but this one, and compiles
// faster than the whole command:
//
//	go run ./cmd/demo [-dir DIR]
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/promptecho/promptecho/cmd/internal/demo"
)

func main() {
	dir := flag.String("dir", "", "keep the demo's module in this folder, which must be empty or not exist")
	flag.Parse()
	if err := demo.Run(*dir, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "promptecho: demo: %v\n", err)
		os.Exit(2)
	}
}

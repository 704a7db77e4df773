// A function as kpt's wasm images are: GOOS=js GOARCH=wasm.
package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"syscall/js"
	"time"
)

func main() {
	js.Global().Set("processResourceList", js.FuncOf(process))
	js.Global().Set("processResourceListErrors", js.FuncOf(func(js.Value, []js.Value) interface{} {
		return "these are the errors"
	}))
	<-make(chan bool)
}

func process(_ js.Value, args []js.Value) interface{} {
	input := args[0].String()
	switch {
	case strings.Contains(input, "name: fail"):
		return "unable to process: it was told to"
	case strings.Contains(input, "name: sleep"):
		time.Sleep(time.Hour)
	case strings.Contains(input, "name: end"):
		os.Exit(3)
	case strings.Contains(input, "name: loop"):
		for {
		}
	case strings.Contains(input, "name: eat"):
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
		}
	}
	fmt.Fprintln(os.Stderr, "hello")
	number := make([]byte, 4)
	rand.Read(number)
	_, err := os.ReadFile("/etc/passwd")
	global := js.Global()
	closed := global.Get("Function").IsUndefined() && global.Get("Object").Get("constructor").IsUndefined() &&
		global.Get("process").Get("mainModule").IsUndefined() && global.Get("require").IsUndefined()
	said := fmt.Sprintf("%d variables, %v, closed %v, year %d", len(os.Environ()), err, closed, time.Now().Year())
	return strings.Replace(input, "items:", "results:\n- message: '"+said+"'\nitems:", 1)
}

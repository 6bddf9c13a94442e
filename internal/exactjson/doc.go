// Package exactjson reads and writes JSON text with every byte: values and their places, how a
// text is laid out, and numbers as they are spelled.
package exactjson

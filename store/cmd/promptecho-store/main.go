// Command promptecho-store keeps cassettes in an object store: Amazon S3 and what speaks its
// protocol, Google Cloud Storage, Azure Blob Storage, or a folder.
package main

import (
	"os"

	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"

	"github.com/promptecho/promptecho/store/internal/command"
)

func main() { os.Exit(command.Main(os.Args[1:], os.Stdout, os.Stderr)) }

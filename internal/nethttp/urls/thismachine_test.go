package urls

import "testing"

// TestThisMachine: which hosts requests to this machine have, and which of them a server may trust.
func TestThisMachine(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]struct{ isThisMachine, isLoopback bool }{
		"localhost":             {true, true},
		"localhost:8080":        {true, true},
		"127.0.0.1":             {true, true},
		"127.9.8.7:1":           {true, true},
		"::1":                   {true, true},
		"[::1]":                 {true, true},
		"[::1]:80":              {true, true},
		"[::ffff:127.0.0.1]:5":  {true, true},
		"LocalHost:8080":        {true, false}, // only the exact name is trusted
		"localhost.":            {true, false},
		"api.localhost:80":      {true, false},
		"0.0.0.0:6333":          {true, false},
		"[::]:6333":             {true, false},
		"::":                    {true, false},
		"":                      {false, false},
		":80":                   {false, false},
		"localhost.example.com": {false, false},
		"notlocalhost":          {false, false},
		"10.0.0.1":              {false, false},
		"192.168.1.1:80":        {false, false},
		"128.0.0.1":             {false, false},
		"[2001:db8::1]":         {false, false},
		"example.com":           {false, false},
		"127.0.0.1.example.com": {false, false},
		"127.0.0.1.nip.io:80":   {false, false},
	} {
		if got := IsThisMachine(host); got != want.isThisMachine {
			t.Errorf("IsThisMachine(%q) = %v", host, got)
		}
		if got := IsLoopback(host); got != want.isLoopback {
			t.Errorf("IsLoopback(%q) = %v", host, got)
		}
	}
}

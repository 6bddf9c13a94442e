// The page of promptecho view in a real browser, and pages that must not use a proxy, in a
// module of its own because of what drives the browser.
module github.com/promptecho/promptecho/browser

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/promptecho/promptecho v0.0.0
)

require github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect

replace github.com/promptecho/promptecho => ../

package models

import "time"

// A Retirement is the end of a model: after it, the provider refuses requests, or another
// model answers them.
type Retirement struct {
	Model       string    // the name in the table
	Date        time.Time // the day of the end, at midnight UTC
	Replacement string    // the model that the provider recommends; "" if unknown
	Provider    string    // who retires it, such as "OpenAI"
	Source      string    // the page of the provider
	Read        time.Time // the day on which the row was read
}

// RetirementOf returns the retirement of a model that its own provider has announced. Names of
// models on Amazon Bedrock have the date of Amazon Bedrock, since only it uses such names. A
// name has a retirement only if the table lists it with its version: versions of one model end
// on different days.
func RetirementOf(model string) (Retirement, bool) { return RetirementAt("", model) }

// RetirementAt is like RetirementOf for a model that was asked at a host. Azure and Vertex AI
// retire models on other days than the providers that made them.
func RetirementAt(host, model string) (Retirement, bool) {
	name := base(model)
	at := platformOf(host)
	for _, list := range retirements {
		if list.platform != at && list.platform != anywhere {
			continue
		}
		for _, row := range list.rows {
			if row.model == name {
				return Retirement{
					Model: row.model, Date: day(row.date), Replacement: row.replacement,
					Provider: list.provider, Source: list.source.url, Read: day(list.source.read),
				}, true
			}
		}
	}
	return Retirement{}, false
}

// day returns a day of a table; a test parses all of them.
func day(date string) time.Time {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic("models: " + err.Error())
	}
	return t
}

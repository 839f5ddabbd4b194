/** What a report is asked with: values by the names of its parameters; lists are repeated. */
type Value = string | number | boolean | null | undefined
export type Query = Readonly<Record<string, Value | readonly Value[]>>

/** `CAD=0.73`: US dollars per unit of a currency. */
export const rateShape = /^([A-Za-z]{2,8})=(\d+(?:\.\d+)?)$/

/** Parses texts such as `CAD=0.73` to rates by currency. `refused` makes the error for an invalid text. */
export function ratesIn(entries: readonly string[], refused: (entry: string) => Error): Record<string, string> {
  const rates: Record<string, string> = {}
  for (const entry of entries) {
    const [, currency, rate] = rateShape.exec(entry) ?? []
    if (!currency || !rate || Number(rate) <= 0) throw refused(entry)
    rates[currency.toUpperCase()] = rate
  }
  return rates
}

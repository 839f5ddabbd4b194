/** The price of one unit, which may be a small part of a cent: at least two places, and two digits that say something. */
export function unitPrice(value: number | null): string {
  if (value === null) return '–'
  const size = Math.abs(value)
  const places = size === 0 || size >= 0.1 ? 2 : Math.min(10, 1 - Math.floor(Math.log10(size)))
  const text = size.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places })
  return `${value < 0 ? '−' : ''}$${text}`
}

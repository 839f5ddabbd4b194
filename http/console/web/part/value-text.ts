/** Values and names of any record, as people read them. */

/** A value of any shape as people read it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** cpuPercentMax, cpu_percent_max: CPU percent max. */
export function wordsOf(name: string): string {
  const text = name
    .replaceAll('_', ' ')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll(/\b(cpu|iops|gpu|id|usd|vcpus?)\b/g, (word) => word.toUpperCase())
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Definition of a setting, and readers for the texts of environment variables. */
export interface Setting<T> {
  /** Name of the environment variable. */
  name: string
  fallback: T
  /** Unit of the value; empty for words and addresses. */
  unit: string
  /** One sentence. */
  about: string
  /** @throws Error that says what the value must be */
  read: (text: string) => T
}

export const setting = <T>(
  name: string,
  fallback: T,
  unit: string,
  about: string,
  read: (text: string) => T,
): Setting<T> => ({
  name,
  fallback,
  unit,
  about,
  read,
})

export const text = (value: string): string => value

export function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const n = Number(value)
    if (!/^\d+$/.test(value) || n < min || n > max) throw new Error(`must be a whole number from ${min} to ${max}`)
    return n
  }
}

export function word<const W extends string>(...words: W[]): (value: string) => W {
  return (value) => {
    const found = words.find((w) => w === value)
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return found
  }
}

export function yes(value: string): boolean {
  if (!['0', '1'].includes(value)) throw new Error('must be 0 or 1')
  return value === '1'
}

/** True for every value except an empty one, 0, false, no and off. */
export const isSet = (value: string): boolean => !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase())

export function address(...protocols: string[]): (value: string) => string {
  return (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`must be a URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    }
    return value
  }
}

/** One or several addresses, separated by commas. */
export function addresses(...protocols: string[]): (value: string) => string {
  const one = address(...protocols)
  return (value) => {
    for (const entry of value.split(',')) one(entry)
    return value
  }
}

export function contacts(value: string): string[] {
  const all = list(value)
  if (all.length === 0 || !all.every((one) => /^(mailto:|https:\/\/|tel:)[!-~]+$/.test(one))) {
    throw new Error('must be URLs starting with mailto:, https:// or tel:, separated by commas')
  }
  return all
}

export function cidrs(value: string): string[] {
  const blocks = list(value)
  for (const block of blocks)
    if (!/^[0-9a-fA-F.:]+\/\d{1,3}$/.test(block)) throw new Error('must be CIDR blocks, separated by commas')
  return blocks
}

export const list = (value: string): string[] =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

export function longText(min: number): (value: string) => string {
  return (value) => {
    if (value.length < min) throw new Error(`must have at least ${min} characters`)
    return value
  }
}

export function keys(value: string): string {
  for (const one of value.split(','))
    if (Buffer.from(one, 'base64').length !== 32)
      throw new Error('must be 32 bytes in base64; several keys are separated by commas')
  return value
}

/** Names that are likely meant to be one: by case, by separators, by a letter more or less. Of names alone, never of money. */

/** Words that say what a name is of, not which one: `data` and `data-team`. */
const fillers = new Set(['team', 'squad', 'group', 'dept', 'department', 'env', 'the'])

/** Long and short of one word. */
const shorts: Readonly<Record<string, string>> = {
  environment: 'env',
  production: 'prod',
  development: 'dev',
  staging: 'stage',
  stg: 'stage',
  account: 'acct',
}

const normalizeWords = (name: string): string[] => {
  const words = name
    .normalize('NFKC')
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => (word === '' ? [] : (shorts[word] ?? word)))
  const telling = words.filter((word) => !fillers.has(word))
  return telling.length > 0 ? telling : words
}

/** Names of equal cores are alike. */
export const coreOf = (name: string): string => normalizeWords(name).join('')

/** Shorter cores differ by a letter without being alike: `dev`, `de`. */
const editLengthMin = 5

/** Of cores, which hold letters that stand for themselves. */
const lettersOf = (text: string): string[] => Array.from(text)

/** Whether one becomes the other by at most one letter put in, left out or replaced, or two neighbours exchanged. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b) return true
  const [short, long] = a.length <= b.length ? [lettersOf(a), lettersOf(b)] : [lettersOf(b), lettersOf(a)]
  if (long.length - short.length > 1) return false
  let from = 0
  while (from < short.length && short[from] === long[from]) from++
  const rest = (letters: readonly string[], at: number) => letters.slice(at).join('')
  if (short.length < long.length) return rest(short, from) === rest(long, from + 1)
  if (rest(short, from + 1) === rest(long, from + 1)) return true
  return (
    short[from] === long[from + 1] && short[from + 1] === long[from] && rest(short, from + 2) === rest(long, from + 2)
  )
}

const isDigit = /\p{N}/u

/** Names with numbers are counted, not misspelt: `node-1`, `node-2`. */
const areAlike = (a: string, b: string): boolean =>
  a === b || (Math.min(a.length, b.length) >= editLengthMin && !isDigit.test(a) && !isDigit.test(b) && isOneEdit(a, b))

/** Cores that are compared with each other; of more only those that are equal are found. */
const comparedMax = 500

/** Groups of two names or more that are alike, in the order of their first names. */
export function alike(names: readonly string[]): string[][] {
  const groups = [...Map.groupBy([...new Set(names)], coreOf)]
    .filter(([core]) => core !== '')
    .map(([core, some]) => ({ cores: [core], names: some }))
  const joined: { cores: string[]; names: string[] }[] = []
  for (const {
    cores: [core],
    names: some,
  } of groups) {
    const near =
      groups.length > comparedMax ? undefined : joined.find(({ cores }) => cores.some((one) => areAlike(one, core!)))
    if (!near) joined.push({ cores: [core!], names: [...some] })
    else {
      near.cores.push(core!)
      near.names.push(...some)
    }
  }
  return joined.map((one) => one.names).filter((some) => some.length > 1)
}

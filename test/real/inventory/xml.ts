import type { Json } from '#test/real/inventory/recording.ts'

/**
 * An answer of the query protocol in the shape the SDK gives it: names begin with a capital, `item` and `member` are lists.
 * Enough for recorded answers: no attributes, no mixed content.
 */
export function sdkShape(xml: string): Json {
  const stack: Node[] = [{ name: '', text: '', children: [] }]
  for (const [, end, name = '', empty, text = ''] of xml.matchAll(/<(\/?)([A-Za-z][\w.]*)[^>]*?(\/?)>([^<]*)/g)) {
    if (end) {
      const node = stack.pop()!
      stack.at(-1)!.children.push(node)
    } else if (empty) stack.at(-1)!.children.push({ name, text: '', children: [] })
    else stack.push({ name, text, children: [] })
  }
  return value(stack[0]!)
}

interface Node {
  name: string
  text: string
  children: Node[]
}

function value({ text, children }: Node): Json {
  if (children.length === 0) return unescaped(text.trim())
  if (children.every(({ name }) => name === 'item' || name === 'member')) return children.map(value)
  return Object.fromEntries(children.map((child) => [named(child.name), value(child)]))
}

const unescaped = (text: string): string =>
  text.replace(
    /&(lt|gt|amp|quot|apos);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', apos: "'" })[name] ?? '&',
  )

/** Where the wire and the SDK have different names. */
const names: Readonly<Record<string, string>> = {
  reservationSet: 'Reservations',
  instancesSet: 'Instances',
  instanceState: 'State',
  volumeSet: 'Volumes',
  addressesSet: 'Addresses',
  tagSet: 'Tags',
}
const named = (name: string): string => names[name] ?? name.charAt(0).toUpperCase() + name.slice(1)

import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import type { NamedSize, Size, Sizes } from '#streams/cloud/reference/size.ts'

/** Sizes of the tables with values of the operator. New sizes of the operator are derived from their names. */
export function withOwn(
  sizes: Sizes,
  book: OwnValueTable,
  kind: string,
  named: (name: string) => NamedSize | undefined,
): Sizes {
  const all = new Map(sizes)
  for (const name of book.names(kind)) {
    const known = sizes.get(name) ?? blank(named(name))
    if (known) all.set(name, { ...known, ...ownOf(book, kind, name) })
  }
  return all
}

function blank(named: NamedSize | undefined): Size | undefined {
  if (!named) return undefined
  const arch = named.maker === 'g' ? 'arm64' : 'x86_64'
  return { ...named, arch, vcpus: undefined, memoryGib: undefined, gpus: undefined, usdHour: undefined }
}

function ownOf(book: OwnValueTable, kind: string, name: string): Partial<Size> {
  const number = (field: string) => book.number(kind, '', name, field)
  const arch = book.text(kind, '', name, 'arch')
  const said = { vcpus: number('vcpus'), memoryGib: number('memory_gib'), gpus: number('gpus') }
  const known = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  return { ...known, ...(arch !== undefined && { arch: arch === 'arm64' ? 'arm64' : 'x86_64' }) }
}

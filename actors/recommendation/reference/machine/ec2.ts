import type { PricedResource } from '#actors/recommendation/rule/contract.ts'
import { ec2Sizes, namedEc2 } from '#streams/cloud/reference/aws/sizes.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import type { OwnValueTable } from '#actors/recommendation/reference/book/own-values.ts'
import { windowsUsd, type MachineCatalogue } from './machine.ts'
import { withOwn } from './own-size.ts'
import { textAt } from '#actors/recommendation/reference/fact-value.ts'

/** Factors for prices of us-east-1 in other regions; a region that is not in the table has factor 1. */
const ratios = (): ReadonlyMap<string, number> =>
  new Map(rowsOf('region').map((row) => [row['region']!, Number(row['ratio'])]))

export function ec2Catalogue(book: OwnValueTable): MachineCatalogue {
  const sizes = withOwn(ec2Sizes(), book, 'ec2', namedEc2)
  const all = [...sizes.values()]
  const ratio = ratios()
  return {
    find: (name) => sizes.get(name),
    sizes: () => all,
    usd: ({ name, usdHour }, { region }) =>
      book.number('ec2', region, name, 'usd_hour') ??
      (usdHour === undefined || book.hasList('ec2', region) ? undefined : usdHour * (ratio.get(region) ?? 1)),
    surcharge,
    copies: () => 1,
    keepsBurst: false,
  }
}

/** Default: Linux. Prices of other software are not in the tables. */
function surcharge(of: PricedResource): number | undefined {
  const platform = textAt(of, 'specs.platform_details')?.toLowerCase() ?? 'linux/unix'
  if (platform === 'windows') return windowsUsd
  return platform === 'linux/unix' || platform === 'linux' ? 0 : undefined
}

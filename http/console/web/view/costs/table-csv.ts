/** The table of groups as a file: exactly what is shown, names included. */
import type { Cell } from '../../csv.ts'
import { titleOf } from '../../filter-dimension.ts'
import { partsOf } from './group-name.ts'
import type { CostsQuery, CostSeries } from './query.ts'

type Figures = Pick<CostSeries['total'], 'costUSD' | 'previousUSD' | 'deltaUSD' | 'deltaPercent'>

const rounded = (value: number): number => Number(value.toFixed(2))

/** Groups, the others as one, and the total; shares and changes in percent. */
export function tableRows({ series, other, total }: CostSeries, { dims, compare }: CostsQuery): Cell[][] {
  const isCompared = compare !== undefined
  const figures = ({ costUSD, previousUSD, deltaUSD, deltaPercent }: Figures): Cell[] => [
    costUSD,
    total.costUSD > 0 ? rounded((costUSD / total.costUSD) * 100) : null,
    ...(isCompared ? [previousUSD ?? null, deltaUSD ?? null, deltaPercent ?? null] : []),
  ]
  const blank = dims.slice(1).map(() => '')
  return [
    [...dims.map(titleOf), 'Cost USD', 'Share %', ...(isCompared ? ['Previous USD', 'Change USD', 'Change %'] : [])],
    ...series.map((one) => [...partsOf({ dims, value: one.key, label: one.label }), ...figures(one)]),
    ...(other ? [[`${other.count} others`, ...blank, ...figures(other)]] : []),
    ['Total', ...blank, ...figures(total)],
  ]
}

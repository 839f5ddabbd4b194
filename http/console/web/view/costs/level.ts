/** The levels of a flow, and the nodes on them: called by the values along their path. */
import type { Reply } from '../../api.ts'
import { nextDim, valueOf } from '../../filter.ts'
import type { CostsQuery } from './query.ts'

export type Flow = Reply<'GET /reports/costs/breakdown'>
export type FlowNode = Flow['nodes'][number]

export interface FlowProps {
  data: Flow
  levels: readonly string[]
  now: CostsQuery
}

/** Resources stand last, and only behind something; a flow has two levels at least. */
export function levelsOf({ dims, chips }: Pick<CostsQuery, 'dims' | 'chips'>): string[] {
  const all =
    dims.length > 1
      ? [...dims]
      : dims[0] === 'resource_uid'
        ? ['resource_type', 'resource_uid']
        : [...dims, nextDim(chips, dims[0])]
  return all.toSorted((a, b) => Number(a === 'resource_uid') - Number(b === 'resource_uid'))
}

/** Values along the path of a node, by dimension. */
export const pathOf = (id: string, levels: readonly string[]): Record<string, string> =>
  Object.fromEntries(id.split('|').map((step, at) => [levels[at] ?? '', valueOf(step)]))

/** All resources of a parent that are none of its dearest. */
export const isRest = ({ id, dim }: FlowNode): boolean => dim === 'resource_uid' && id.endsWith('|(other)')

export const labelOf = ({ id, label }: FlowNode): string => label ?? valueOf(id.slice(id.lastIndexOf('|') + 1))

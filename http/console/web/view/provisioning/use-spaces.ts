/** Where things can be made. Whoever may not see spaces sees their ids. */
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import type { Space } from './labels.ts'

const spacesMax = 100

export function useSpaces() {
  const report = useReport('GET /spaces', { query: { limit: spacesMax }, when: may('space.view') })
  const spaces: readonly Space[] = report.data?.items ?? []
  return { report, spaces, names: new Map(spaces.map(({ id, name }) => [id, name])) }
}

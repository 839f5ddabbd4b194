/** What is open, together; each figure of 30 days as the API has it. */
import type { Reply } from '../../api.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { Tile } from '../../part/tile.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import type { RecommendationsQuery } from './query.ts'

type Sums = Reply<'GET /recommendations/summary'>

export function Summary({ asked }: { asked: RecommendationsQuery }) {
  const report = useReport('GET /recommendations/summary', {
    query: asked.sums,
    on: ['recommendation.', 'inventory.'],
  })
  return (
    <ReportContent report={report} rows={2}>
      {(data: Sums) => (
        <section class="tiles" aria-label="Open recommendations">
          <Tile
            title="Potential savings"
            value={usd(data.totalSavings)}
            note={<>30-day estimate; the resources cost {usd(data.totalOpenCost)}</>}
          />
          <Tile title="Open" value={count(data.totalOpen)} note={<>on {pluralize(data.resourceCount, 'resource')}</>} />
          <Tile title="Critical" value={count(data.criticalCount)} note={<>critical, {count(data.highCount)} high</>} />
          <article class="tile">
            <h2>
              <a href={hrefOf('savings')}>Decided</a>
            </h2>
            <span class="big">{count(data.appliedCount)}</span>
            <span class="small">
              done, {count(data.dismissedCount)} dismissed, {count(data.optimisedCount)} no longer found
            </span>
          </article>
        </section>
      )}
    </ReportContent>
  )
}

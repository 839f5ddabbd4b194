/** What the list is narrowed by and how it is ordered. */
import { Choice, PeriodBar } from '../../part/period.tsx'
import { change } from '../../router.ts'
import { may } from '../../session.ts'
import { Pick } from './pick.tsx'
import { AccountPick, LeastAmount, TeamPick } from './scope-picks.tsx'
import { reviewName, reviews, severities, severityName, typeName, types } from './labels.ts'
import type { AnomaliesQuery } from './query.ts'

export function Bar({ asked }: { asked: AnomaliesQuery }) {
  const fold = (event: Event) =>
    change({ fold: (event.target as HTMLInputElement).checked ? null : 'none', page: null })
  const suppressed = (event: Event) =>
    change({ include_suppressed: (event.target as HTMLInputElement).checked || null, page: null })
  return (
    <>
      <PeriodBar untilToday takes={[]} />
      <div class="bar" role="group" aria-label="Filters">
        <Pick
          title="Severity"
          name="severity"
          options={severities.map((value) => ({ value, title: severityName(value) }))}
        />
        <Pick title="Status" name="review" options={reviews.map((value) => ({ value, title: reviewName(value) }))} />
        <Pick title="Scope" name="type" options={types.map((value) => ({ value, title: typeName(value) }))} />
        {may('space.view') && <AccountPick />}
        <TeamPick />
        <LeastAmount name="min_usd" of="above expected" isSearch />
        <label>
          <input type="checkbox" checked={asked.withSuppressed} onChange={suppressed} /> Include suppressed
        </label>
        <label title="Combines rows of the same day that share a cause: a resource, its team, its account and the organization">
          <input type="checkbox" checked={asked.isFolded} onChange={fold} /> Group by cause
        </label>
        <Choice title="Sort" name="sort_by" none="largest excess first" choices={[['date', 'newest first']]} />
      </div>
    </>
  )
}

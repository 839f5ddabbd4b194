/** The first step of who has no teams: those that a tag names already, with a rule that keeps them. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { alike } from '../../similar-names.ts'
import type { Reply } from '../../api.ts'
import { addDays, today } from '../../day.ts'
import { pluralize, usd } from '../../figure.ts'
import { useRequest, useReport, type Report } from '../../report.ts'
import { may } from '../../session.ts'
import { Act } from '../../part/act.tsx'
import { CheckField, ChoiceField } from '../../part/form.tsx'
import { ToBills } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { CostBasis } from '../../part/period.tsx'
import { Empty, ProblemMessage, ReportContent } from '../../part/report-content.tsx'
import { AllocationMoves, type AllocationPreview } from './moves.tsx'
import { likeliest, spellings } from './guess-team-tag.ts'

type Keys = Extract<Reply<'GET /reports/tags'>, { items: { coverage: unknown }[] }>
type Values = Reply<'GET /reports/tags/:tagKey'>

/** The days that previews are of. */
const days = () => ({ from: addDays(today(), -29), to: today() })

export interface FromTagProps {
  onMade: () => void
  /** Said where there is no tag to begin with. */
  otherwise?: ComponentChildren
}

export function FromTag({ onMade, otherwise }: FromTagProps) {
  const keys = useReport('GET /reports/tags', { query: { ...days(), limit: 100 }, on: ['costs.changed', 'inventory.'] })
  const [chosen, setChosen] = useState('')
  const shown = (
    <ReportContent report={keys as Report<Keys>}>
      {(data: Keys) => {
        const key = chosen || likeliest(data.items)
        if (key === undefined)
          return (
            <Empty
              title={
                otherwise
                  ? 'No rules assign resources to teams yet.'
                  : 'No teams yet, and no tags that could define them.'
              }
            >
              {otherwise ?? (
                <p>
                  <ToBills /> {may('service.create') && 'Or create a team above and assign resources manually.'}
                </p>
              )}
            </Empty>
          )
        const cost = data.items.find(({ tagKey }) => tagKey === key)?.costUSD ?? 0
        const options = data.items.map(({ tagKey, costUSD }) => ({
          value: tagKey,
          title: `${tagKey} (${usd(costUSD)})`,
        }))
        return (
          <>
            {otherwise}
            <ChoiceField label="Tag" value={key} onValue={setChosen} options={options} />
            <Making key={key} tagKey={key} costUSD={cost} onMade={onMade} />
          </>
        )
      }}
    </ReportContent>
  )
  // Where something else is said it stands within a panel.
  return otherwise ? (
    shown
  ) : (
    <Panel title="Create teams from a tag" about={<CostBasis meta={keys.meta} />}>
      {shown}
    </Panel>
  )
}

function Making({ tagKey, costUSD, onMade }: { tagKey: string; costUSD: number; onMade: () => void }) {
  const values = useReport('GET /reports/tags/:tagKey', { params: { tagKey }, query: days() })
  return (
    <ReportContent report={values}>
      {(data: Values) => <Offer tagKey={tagKey} costUSD={costUSD} values={data} onMade={onMade} />}
    </ReportContent>
  )
}

function Offer({
  tagKey,
  costUSD,
  values,
  onMade,
}: {
  tagKey: string
  costUSD: number
  values: Values
  onMade: () => void
}) {
  const preview = useRequest('POST /allocation/policies/preview')
  const making = useRequest('POST /policies')
  const groups = alike(values.map(({ tagValue }) => tagValue))
  const [isJoined, setJoined] = useState(true)
  const aliases = isJoined ? spellings(groups) : {}
  const spec = {
    priority: 100,
    teamFromTag: { key: tagKey, create: true, ...(Object.keys(aliases).length > 0 && { aliases }) },
  }
  const look = () => void preview.run({ body: { spec } })
  const make = () =>
    void making.run(
      {
        body: {
          domain: 'allocation',
          targetType: 'organisation',
          name: `Team by tag ${tagKey}`.slice(0, 100),
          enabled: true,
          spec,
        },
      },
      () => {
        onMade()
        // Resources follow the rule a moment later.
        for (const ms of [1500, 4000]) setTimeout(onMade, ms)
      },
    )
  const join = (isOn: boolean) => {
    setJoined(isOn)
    preview.clear()
  }
  return (
    <>
      {groups.length > 0 && (
        <CheckField
          label={<>Merge values that are probably the same: {groups.map((some) => some.join(' = ')).join('; ')}</>}
          isOn={isJoined}
          onValue={join}
        />
      )}
      <p class="bar">
        <button
          type="button"
          class={preview.done ? '' : 'main'}
          disabled={preview.isBusy || !may('service.view')}
          onClick={look}
        >
          Create teams from tag <code>{tagKey}</code> ({pluralize(values.length, 'value')}, {usd(costUSD)}) …
        </button>
        <span class="faint">Previews what would move. Nothing changes yet.</span>
      </p>
      {preview.problem && <ProblemMessage problem={preview.problem} again={look} />}
      {preview.done && (
        <section class="preview" aria-label="Preview of moves">
          <AllocationMoves preview={preview.done as AllocationPreview} />
          {making.problem && <ProblemMessage problem={making.problem} />}
          <p class="faint">
            The rule keeps assigning teams as tags change. Deleting it removes those assignments; the teams remain.
          </p>
          <p class="bar">
            <Act needs="service.create" class="main" disabled={making.isBusy} onClick={make}>
              {making.isBusy
                ? 'Creating…'
                : `Create ${pluralize(preview.done.teamsToMake.length, 'team')} and the rule`}
            </Act>
          </p>
        </section>
      )}
    </>
  )
}

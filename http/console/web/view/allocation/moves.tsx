/** What a rule moves between teams, in dollars of the last 30 days: before it is saved, and once it is there. */
import type { Reply } from '../../api.ts'
import { pluralize, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { Clip } from '../../part/clip.tsx'
import { Change } from '../../part/amount.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'
import { unassignedID } from '../teams/rows.ts'

export type AllocationPreview = Reply<'POST /allocation/policies/preview'>
export type SharedPreview = Reply<'POST /shared-cost/policies/preview'>

export interface Move {
  fromTeamID: string | null
  fromTeamName: string
  toTeamID: string | null
  toTeamName: string
  resources?: number
  costUsd30d: number
}

/** A team that is still to be made has a name alone. */
function TeamName({ id, name }: { id: string | null; name: string }) {
  if (id === null && name !== 'Unassigned')
    return (
      <>
        <Clip text={name} /> <span class="badge">new</span>
      </>
    )
  return <Clip text={name} href={hrefOf('teams', { team: id ?? unassignedID })} />
}

const columnsOf = (isOfResources: boolean): Column<Move>[] => [
  { title: 'From', show: ({ fromTeamID, fromTeamName }) => <TeamName id={fromTeamID} name={fromTeamName} /> },
  { title: 'To', show: ({ toTeamID, toTeamName }) => <TeamName id={toTeamID} name={toTeamName} /> },
  ...(isOfResources ? [{ title: 'Resources', count: ({ resources = 0 }: Move) => resources }] : []),
  {
    title: '30-day cost',
    usd: ({ costUsd30d }) => costUsd30d,
    show: ({ costUsd30d }) => <span class="amount">{usd(costUsd30d)}</span>,
  },
]

export const Moves = ({ moved, caption }: { moved: readonly Move[]; caption: string }) => (
  <Table
    caption={caption}
    columns={columnsOf(moved.some(({ resources }) => resources !== undefined))}
    rows={moved}
    keyOf={({ fromTeamID, fromTeamName, toTeamID, toTeamName }: Move) =>
      `${fromTeamID} ${fromTeamName} ${toTeamID} ${toTeamName}`
    }
  />
)

/** The same seen from the other side: what goes back. */
export const reverseMoves = (moved: readonly Move[]): Move[] =>
  moved.map(({ fromTeamID, fromTeamName, toTeamID, toTeamName, ...rest }) => ({
    ...rest,
    fromTeamID: toTeamID,
    fromTeamName: toTeamName,
    toTeamID: fromTeamID,
    toTeamName: fromTeamName,
  }))

export function AllocationMoves({ preview }: { preview: AllocationPreview }) {
  const { matched, moved, won, byHand, teamsToMake, totalUsd30d } = preview
  return (
    <>
      <p>
        <strong>{usd(totalUsd30d)}</strong> of the last 30 days, including today, would move to another team. The rule
        assigns a team to {pluralize(matched, 'resource')}.
      </p>
      {moved.length === 0 ? (
        <p class="note">
          Nothing moves: the selected resources already have these teams, or other rules are evaluated first.
        </p>
      ) : (
        <Moves moved={moved} caption="Costs that move" />
      )}
      {teamsToMake.length > 0 && (
        <p>
          {pluralize(teamsToMake.length, 'team')} would be created: <span dir="auto">{teamsToMake.join(', ')}</span>
        </p>
      )}
      {byHand > 0 && (
        <p class="faint">{pluralize(byHand, 'resource')} of these have a manually assigned team and keep it.</p>
      )}
      {won.length > 0 && (
        <p class="faint">
          Evaluated before this one:{' '}
          {won.map(({ name, resources }) => `${name} (${pluralize(resources, 'resource')})`).join(', ')}.
        </p>
      )}
    </>
  )
}

export function SharedMoves({ preview }: { preview: SharedPreview }) {
  const { selectedUsd30d, movedUsd30d, moved, won } = preview
  return (
    <>
      <p>
        It selects <strong>{usd(selectedUsd30d)}</strong> of the last 30 days, including today, and distributes{' '}
        <strong>{usd(movedUsd30d)}</strong> of it.
      </p>
      {moved.length === 0 ? (
        <p class="note">Nothing moves: no costs in this period are selected, or older rules distribute them.</p>
      ) : (
        <Moves moved={moved} caption="Costs that move" />
      )}
      {won.length > 0 && (
        <p class="faint">
          Older rules that apply first: {won.map(({ name, costUsd30d }) => `${name} (${usd(costUsd30d)})`).join(', ')}.
        </p>
      )}
    </>
  )
}

type WhatIf = Extract<Reply<'POST /what-if'>, { kind: 'allocation' }>
type TeamIf = WhatIf['teams'][number]

/** What each team would have cost, beside what it did. */
export function TeamsIf({ answer }: { answer: WhatIf }) {
  const columns: Column<TeamIf>[] = [
    { title: 'Team', show: ({ teamID, teamName }) => <TeamName id={teamID} name={teamName} /> },
    { title: 'Current', usd: ({ beforeUSD }) => beforeUSD },
    { title: 'With the rule', usd: ({ afterUSD }) => afterUSD },
    { title: 'Change', usd: ({ deltaUSD }) => deltaUSD, show: ({ deltaUSD }) => <Change usd={deltaUSD} /> },
  ]
  return (
    <>
      <h3>
        By team, {answer.from} to {answer.to}
      </h3>
      <Table
        caption="Teams before and after"
        columns={columns}
        rows={answer.teams}
        keyOf={({ teamID, teamName }: TeamIf) => `${teamID} ${teamName}`}
      />
      <ul class="faint">
        {answer.reasons.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </>
  )
}

/** What a rule moves between teams, in dollars of the last 30 days: before it is saved, and once it is there. */
import type { Reply } from '../../api.ts'
import { count, pluralize, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { Change } from '../../part/amount.tsx'
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
        <span class="clip" dir="auto" title={name}>
          {name}
        </span>{' '}
        <span class="badge">new</span>
      </>
    )
  return (
    <a class="clip" dir="auto" title={name} href={hrefOf('teams', { team: id ?? unassignedID })}>
      {name}
    </a>
  )
}

const columnsOf = (isOfResources: boolean) => [
  {
    key: 'from',
    title: 'From',
    show: ({ fromTeamID, fromTeamName }: Move) => <TeamName id={fromTeamID} name={fromTeamName} />,
  },
  {
    key: 'to',
    title: 'To',
    show: ({ toTeamID, toTeamName }: Move) => <TeamName id={toTeamID} name={toTeamName} />,
  },
  ...(isOfResources
    ? [
        {
          key: 'resources',
          title: 'Resources',
          isFigure: true,
          by: ({ resources = 0 }: Move) => resources,
          show: ({ resources = 0 }: Move) => count(resources),
        },
      ]
    : []),
  {
    key: 'cost',
    title: '30-day cost',
    isFigure: true,
    by: ({ costUsd30d }: Move) => costUsd30d,
    show: ({ costUsd30d }: Move) => <span class="amount">{usd(costUsd30d)}</span>,
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
  const columns = [
    {
      key: 'team',
      title: 'Team',
      show: ({ teamID, teamName }: TeamIf) => <TeamName id={teamID} name={teamName} />,
    },
    {
      key: 'before',
      title: 'Current',
      isFigure: true,
      by: ({ beforeUSD }: TeamIf) => beforeUSD,
      show: ({ beforeUSD }: TeamIf) => usd(beforeUSD),
    },
    {
      key: 'after',
      title: 'With the rule',
      isFigure: true,
      by: ({ afterUSD }: TeamIf) => afterUSD,
      show: ({ afterUSD }: TeamIf) => usd(afterUSD),
    },
    {
      key: 'delta',
      title: 'Change',
      isFigure: true,
      by: ({ deltaUSD }: TeamIf) => deltaUSD,
      show: ({ deltaUSD }: TeamIf) => <Change usd={deltaUSD} />,
    },
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

/** The rules in their order, each with what it moves. */
import { useState } from 'preact/hooks'
import { pluralize, usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { useSeen } from '../../part/use-seen.ts'
import { Empty } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { FromTag } from './from-tag.tsx'
import { DeleteAllocation, DeleteShared } from './delete.tsx'
import type { Policies, Policy } from './policies.ts'
import type { Names } from './names.ts'
import { allocationText, inOrder, sharedText, withoutIt, type AllocationSpec } from './rule-text.ts'

interface RulesProps {
  policies: Policies
  names: Names
  onDone: () => void
}

export function AllocationRules({ policies: { items = [], report }, names, onDone }: RulesProps) {
  const { deleting, setDeleting, close, isThere, done } = useDeleting(onDone)
  const columns = [
    {
      key: 'order',
      title: 'Order',
      show: ({ at, rule }: RuleRow) => (
        <>
          {at + 1}.<span class="faint nowrap">priority {(rule.spec as AllocationSpec).priority}</span>
        </>
      ),
    },
    ruleColumn(names, allocationText),
    {
      key: 'moves',
      title: 'Moves',
      isFigure: true,
      show: ({ rule }: RuleRow) => <AllocationReach key={rule.version} rule={rule} />,
    },
    deleteColumn(setDeleting),
  ]
  const rows = inOrder(items.filter(isThere)).map((rule, at) => ({ rule, at }))
  return (
    <Panel
      title="Resource rules"
      about="the first rule that assigns a team to a resource wins; amounts cover the last 30 days"
      tools={<Copies report={report} />}
    >
      {deleting && <DeleteAllocation key={deleting.id} rule={deleting} onClose={close} onDone={done} />}
      {rows.length === 0 ? (
        <FromTag
          onMade={onDone}
          otherwise={
            <p>
              <Next needs="service.create" what="Creating a rule">
                <a href={hrefOf('allocation', { new: 'allocation' })}>Create a rule</a> by a tag or an account.
              </Next>
            </p>
          }
        />
      ) : (
        <Table
          caption="Rules for resources, in evaluation order"
          columns={columns}
          rows={rows}
          keyOf={({ rule }: RuleRow) => rule.id}
        />
      )}
    </Panel>
  )
}

/** The rule that is asked about, and those that were deleted here: what they move is not asked for while the list is still the old one. */
function useDeleting(onDone: () => void) {
  const [deleting, setDeleting] = useState<Policy | undefined>()
  const [gone, setGone] = useState<readonly string[]>([])
  const close = () => setDeleting(undefined)
  const done = () => {
    setGone([...gone, deleting!.id])
    close()
    onDone()
  }
  return { deleting, setDeleting, close, isThere: ({ id }: Policy) => !gone.includes(id), done }
}

interface RuleRow {
  rule: Policy
  at: number
}

const ruleColumn = (names: Names, textOf: (spec: unknown, names: ReadonlyMap<string, string>) => string) => ({
  key: 'rule',
  title: 'Rule',
  show: ({ rule }: RuleRow) => (
    <>
      <a class="clip wide" dir="auto" title={rule.name} href={hrefOf('allocation', { rule: rule.id })}>
        {rule.name}
      </a>
      {!rule.enabled && (
        <>
          {' '}
          <span class="badge">disabled</span>
        </>
      )}
      <span class="faint" dir="auto">
        {textOf(rule.spec, names.names)}
      </span>
    </>
  ),
})

const deleteColumn = (onDelete: (rule: Policy) => void) => ({
  key: 'delete',
  title: 'Actions',
  show: ({ rule }: RuleRow) => (
    <span class="nowrap">
      <a href={hrefOf('allocation', { rule: rule.id })}>Edit</a>{' '}
      <Act needs="service.delete" isSmall class="quiet" label={`Delete ${rule.name}`} onClick={() => onDelete(rule)}>
        Delete
      </Act>
    </span>
  ),
})

/** What would be elsewhere without the rule; of one that is off, what it would move. */
function AllocationReach({ rule }: { rule: Policy }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const spec = rule.enabled ? withoutIt(rule.spec as AllocationSpec) : rule.spec
  const { data, problem } = useReport('POST /allocation/policies/preview', {
    body: { policyID: rule.id, spec },
    when: isSeen,
    on: ['costs.changed'],
  })
  const resources = data?.moved.reduce((sum, one) => sum + one.resources, 0) ?? 0
  return (
    <>
      <span ref={place}>
        {problem ? (
          <span class="faint" title={problem.message}>
            unknown
          </span>
        ) : data ? (
          usd(data.totalUsd30d)
        ) : (
          '…'
        )}
      </span>
      {data && (
        <span class="faint">
          {rule.enabled ? '' : 'would move: '}
          {pluralize(resources, 'resource')}
        </span>
      )}
    </>
  )
}

export function SharedRules({ policies: { items = [], report }, names, onDone }: RulesProps) {
  const { deleting, setDeleting, close, isThere, done } = useDeleting(onDone)
  const columns = [
    ruleColumn(names, sharedText),
    {
      key: 'moves',
      title: 'Distributes',
      isFigure: true,
      show: ({ rule }: RuleRow) => <SharedReach key={rule.version} rule={rule} />,
    },
    deleteColumn(setDeleting),
  ]
  const rows = items.filter(isThere).map((rule, at) => ({ rule, at }))
  return (
    <Panel
      title="Shared costs"
      about="if two rules select the same line, the older one distributes it; amounts cover the last 30 days"
      tools={<Copies report={report} />}
    >
      {deleting && <DeleteShared key={deleting.id} rule={deleting} onClose={close} onDone={done} />}
      {rows.length === 0 ? (
        <Empty title="No shared costs are distributed.">
          <p>
            A rule distributes support, taxes, credits, or what one team runs for all.{' '}
            <Next needs="service.create" what="Creating one">
              <a href={hrefOf('allocation', { new: 'shared-cost' })}>Create the first one</a>.
            </Next>
          </p>
        </Empty>
      ) : (
        <Table
          caption="Rules for shared costs, oldest first"
          columns={columns}
          rows={rows}
          keyOf={({ rule }: RuleRow) => rule.id}
        />
      )}
    </Panel>
  )
}

function SharedReach({ rule }: { rule: Policy }) {
  const { place, isSeen } = useSeen<HTMLSpanElement>()
  const { data, problem } = useReport('POST /shared-cost/policies/preview', {
    body: { policyID: rule.id, spec: rule.spec },
    when: isSeen,
    on: ['costs.changed'],
  })
  return (
    <>
      <span ref={place}>
        {problem ? (
          <span class="faint" title={problem.message}>
            unknown
          </span>
        ) : data ? (
          usd(data.movedUsd30d)
        ) : (
          '…'
        )}
      </span>
      {data && (
        <span class="faint">
          {rule.enabled ? '' : 'would move: '}of {usd(data.selectedUsd30d)}
        </span>
      )}
    </>
  )
}

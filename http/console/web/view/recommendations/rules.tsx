/** Recommendations by rule: the sum of each, its recommendations in place, and all of them dismissed at once. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { count, pluralize } from '../../figure.ts'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { DismissSelected } from './dismiss-selected.tsx'
import { categoryName } from './labels.ts'
import { groupColumns, none, on, savings, Severity, within, type ListProps } from './list.tsx'
import { pageSize } from './query.ts'

type Rule = Reply<'GET /recommendations/rules'>['items'][number]

/** Recommendations of a rule that are listed in place; `within` leads to all. */
const listedMax = 100

interface Opened {
  isOpen: (ruleId: string) => boolean
  toggle: (ruleId: string) => void
}

const columnsOf = ({ isOpen, toggle }: Opened): Column<Rule>[] => [
  {
    title: 'Rule',
    csv: ({ title }) => title,
    by: ({ title }) => title.toLocaleLowerCase(),
    show: ({ ruleId, title }) => (
      <button type="button" class="opener" aria-expanded={isOpen(ruleId)} onClick={() => toggle(ruleId)}>
        <span aria-hidden="true">{isOpen(ruleId) ? '▾' : '▸'}</span> {title}
      </button>
    ),
    sub: ({ ruleId }) => ruleId,
  },
  {
    title: 'Category',
    show: ({ category, severity }) => (
      <>
        {categoryName(category)} <Severity severity={severity} />
      </>
    ),
  },
  savings,
  {
    title: 'Open',
    count: ({ openCount }) => openCount,
    sub: ({ resourceCount }) => pluralize(resourceCount, 'resource'),
  },
  {
    title: 'What-if',
    isAction: true,
    show: ({ ruleId }) => (
      <a href={hrefOf('what-if', { kind: 'rule', rule: ruleId })} aria-label={`What-if for ${ruleId}`}>
        What-if…
      </a>
    ),
  },
]

export function OfRules({ asked }: ListProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const isOpen = (id: string) => opened.has(id)
  const toggle = (id: string) =>
    setOpened(new Set(isOpen(id) ? [...opened].filter((one) => one !== id) : [...opened, id]))
  const report = useReport('GET /recommendations/rules', { query: asked.query, on })
  return (
    <ListView
      {...none({ asked })}
      title="Rules"
      noun="recommendations by rule"
      caption="Recommendations by rule"
      report={report}
      columns={columnsOf({ isOpen, toggle })}
      keyOf={({ ruleId }) => ruleId}
      below={(rule: Rule) => isOpen(rule.ruleId) && <RuleGroup rule={rule} asked={asked} />}
      pageSize={pageSize}
      bones={8}
    />
  )
}

/** The recommendations of a rule, in place: each can be opened, all of them dismissed at once. */
function RuleGroup({ rule: { ruleId, title }, asked }: ListProps & { rule: Rule }) {
  const query = { ...asked.query, rule_id: [ruleId], page: 1, size: listedMax }
  const report = useReport('GET /recommendations', { query, on })
  return (
    <ReportContent report={report} rows={3}>
      {({ items, total }: Reply<'GET /recommendations'>) => (
        <>
          <p class="bar">
            {asked.isOpen && items.length > 0 && (
              <DismissSelected
                rows={items}
                label={`Dismiss ${items.length === total ? 'all ' : ''}${items.length}…`}
                onDone={report.again}
              />
            )}
            <a href={within({ rule_id: ruleId })}>
              {total > items.length ? `Show all ${count(total)} in a list` : 'Show in a list'}
            </a>
          </p>
          <Table caption={`Recommendations of ${title}`} columns={groupColumns} rows={items} keyOf={({ id }) => id} />
        </>
      )}
    </ReportContent>
  )
}

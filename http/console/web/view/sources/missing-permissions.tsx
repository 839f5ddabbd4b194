/** Permissions in tables: those that are missing with the statement to add. */
import type { Reply } from '../../api.ts'
import { Copy } from '../../part/copy.tsx'
import type { Column } from '../../part/list/column.tsx'
import { Table } from '../../part/table.tsx'

type Permission = Reply<'POST /cloud-accounts/:cloudAccountID/check'>['permissions'][number]

const columns: Column<Permission>[] = [
  { title: 'Permission', by: ({ name }) => name, show: ({ name }) => <code class="hash">{name}</code> },
  {
    title: 'Required for',
    isLong: true,
    show: ({ lost }) =>
      lost.map((text) => (
        <span class="sub" key={text}>
          {text}
        </span>
      )),
  },
  {
    title: 'Statement to add',
    isLong: true,
    show: ({ name, statement }) => (
      <>
        <code class="hash">{JSON.stringify(statement)}</code>{' '}
        <Copy label={`Copy the statement for ${name}`} text={JSON.stringify(statement, null, 2)} />
      </>
    ),
  },
]

/** As a policy of its own. */
const policyOf = (rows: readonly Permission[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: rows.map(({ statement }) => statement) }, null, 2)

export const MissingPermissions = ({ caption, rows }: { caption: string; rows: readonly Permission[] }) => (
  <>
    <p class="copies">
      <Copy
        label={rows.length === 1 ? 'Copy as a policy' : `Copy all ${rows.length} as a policy`}
        text={policyOf(rows)}
      />
    </p>
    <Table caption={caption} columns={columns} rows={rows} keyOf={(one: Permission) => one.name} />
  </>
)

/** Nothing is to be added of these. */
export const PermissionChips = ({ rows }: { rows: readonly Permission[] }) => (
  <ul class="chips">
    {rows.map((one) => (
      <li class="tag" key={one.name}>
        <code class="hash">{one.name}</code>
      </li>
    ))}
  </ul>
)

/** How programs that talk to a language model reach the product, and what they can do there. */
import { addressOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Copies, Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import { ReportContent } from '../../part/report-content.tsx'
import { Table } from '../../part/table.tsx'
import { overHttp, overStdio } from './agent-config.ts'

type List = Reply<'GET /mcp/tools'>
type Tool = List[number]

export function Agents() {
  const report = useReport('GET /mcp/tools')
  return (
    <>
      <Reach />
      <Panel title="Agent tools" tools={<Copies report={report} />}>
        <p class="faint">
          Agents can do no more than their token allows. A tool that changes something only reports what it would do
          until it is called with <code>confirm</code>.
        </p>
        <ReportContent report={report} rows={8}>
          {(data: List) => (
            <Table caption="Tools of agents" columns={columns} rows={data} keyOf={({ name }: Tool) => name} />
          )}
        </ReportContent>
      </Panel>
    </>
  )
}

function Reach() {
  const { href: address } = addressOf('POST /mcp')
  const url = address.replace(/\/mcp$/, '')
  const command = `npm run -s tidemark -- pat create --org ${session.value?.orgID ?? ''} --role viewer --name agent`
  return (
    <Panel title="Agents">
      <p>
        Language-model agents connect through the Model Context Protocol (MCP) to query what rose and why, the billing
        lines behind a figure, and potential savings. Server URL: <code>{address}</code>{' '}
        <Copy label="Copy the MCP server URL" text={address} />
      </p>
      <p>
        <a href={hrefOf('account', { for: 'agent' })}>Create a token for an agent</a>. It is read-only (viewer role)
        unless you choose otherwise. An operator can create one that belongs to no person:
      </p>
      <p class="bar">
        <code>{command}</code> <Copy label="Copy the command" text={command} />
      </p>
      <Configuration title="Over HTTP" about="For clients that connect to Tidemark by URL." text={overHttp(url)} />
      <Configuration
        title="Over stdin and stdout"
        about="For clients that start the server themselves. The path is where Tidemark is installed on their machine."
        text={overStdio(url)}
      />
    </Panel>
  )
}

const Configuration = ({ title, about, text }: { title: string; about: string; text: string }) => (
  <>
    <h3>{title}</h3>
    <p class="faint">{about}</p>
    <pre class="body short" tabindex={0} aria-label={title}>
      {text}
    </pre>
    <p class="bar">
      <Copy label={`Copy the configuration: ${title}`} text={text} />
    </p>
  </>
)

const changes: Readonly<Record<Tool['changes'], string>> = {
  nothing: 'nothing',
  adds: 'adds',
  takesAway: 'may stop or delete',
}

const columns = [
  { key: 'name', title: 'Tool', show: ({ name }: Tool) => <code class="nowrap">{name}</code> },
  { key: 'title', title: 'Description', isLong: true, show: ({ title }: Tool) => title },
  {
    key: 'changes',
    title: 'Changes',
    show: ({ changes: what }: Tool) =>
      what === 'nothing' ? (
        <span class="faint">{changes[what]}</span>
      ) : (
        <span class="badge warning">{changes[what]}</span>
      ),
  },
  { key: 'needs', title: 'Permission', show: ({ needs }: Tool) => <code class="nowrap">{needs}</code> },
]

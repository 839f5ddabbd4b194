/** How programs that talk to a language model reach the product, and what they can do there. */
import { addressOf } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { session } from '../../session.ts'
import { Copy } from '../../part/copy.tsx'
import { Panel } from '../../part/panel.tsx'
import type { Column } from '../../part/list/column.tsx'
import { ListView } from '../../part/list/list-view.tsx'
import { overHttp, overStdio } from './agent-config.ts'

type Tool = Reply<'GET /mcp/tools'>[number]

export function Agents() {
  const report = useReport('GET /mcp/tools')
  return (
    <>
      <Reach />
      <ListView
        title="Agent tools"
        noun="agent tools"
        caption="Tools of agents"
        report={report}
        columns={columns}
        keyOf={({ name }) => name}
        bones={8}
        intro={
          <p class="faint">
            Agents can do no more than their token allows. A tool that changes something only reports what it would do
            until it is called with <code>confirm</code>.
          </p>
        }
        empty={{ title: 'No tools.' }}
      />
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
        Agents that can sign in need only this URL: they lead you to a page that asks whether to allow it. Others need a
        token.
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

const columns: Column<Tool>[] = [
  {
    title: 'Tool',
    csv: ({ name }) => name,
    by: ({ name }) => name,
    show: ({ name }) => <code class="nowrap">{name}</code>,
  },
  { title: 'Description', isLong: true, csv: ({ title }) => title, show: ({ title }) => title },
  {
    title: 'Changes',
    csv: ({ changes: what }) => changes[what],
    show: ({ changes: what }) => <span class={what === 'nothing' ? 'faint' : 'badge warning'}>{changes[what]}</span>,
  },
  { title: 'Permission', csv: ({ needs }) => needs, show: ({ needs }) => <code class="nowrap">{needs}</code> },
]

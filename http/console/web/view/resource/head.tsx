/** What it is and whose. */
import { Fragment, type ComponentChildren } from 'preact'
import { ago, timeText } from '../../day.ts'
import { count } from '../../figure.ts'
import { Copies } from '../../part/copy.tsx'
import { Driver } from '../../part/driver.tsx'
import { Panel } from '../../part/panel.tsx'
import { Status } from '../../part/power-state.tsx'
import { ProblemMessage } from '../../part/report-content.tsx'
import { hrefOf } from '../../router.ts'
import type { Report } from '../../report.ts'
import { may } from '../../session.ts'
import type { Context, ResourceDetail } from './resource.ts'

interface HeadProps {
  resource: ResourceDetail
  context: Report<Context>
}

const Fact = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

const clipText = (text: string) => (
  <span class="clip wide" dir="auto" title={text}>
    {text}
  </span>
)

export function Head({ resource, context }: HeadProps) {
  const { uid, type, instanceType, provider, region, status, cloudAccountID, cloudAccountName, parentUID } = resource
  const { cloudAccountDriver } = resource
  const { sizeGB, unitCount, createdAt, updatedAt } = resource
  return (
    <Panel title="Details" tools={<Copies report={context} />}>
      <dl class="pairs">
        <Fact title="Status">
          <Status status={status} />
        </Fact>
        <Fact title="Type">
          <a href={hrefOf('inventory', { type })}>{clipText(type)}</a>
          {instanceType && <> {clipText(instanceType)}</>}
        </Fact>
        <Fact title="Account">
          <a href={hrefOf('inventory', { cloud_account_id: cloudAccountID })}>{clipText(cloudAccountName)}</a>{' '}
          <Driver driver={cloudAccountDriver} />
        </Fact>
        <Fact title="Provider, region">
          {provider}
          {region && ` · ${region}`}
        </Fact>
        {sizeGB !== null && <Fact title="Size">{count(sizeGB)} GB</Fact>}
        {unitCount !== null && <Fact title="Units">{count(unitCount)}</Fact>}
        <Fact title="Identifier">
          <code class="clip wide" title={uid}>
            {uid}
          </code>
        </Fact>
        {parentUID && (
          <Fact title="Parent">
            <a href={hrefOf('resource', { uid: parentUID, cloud_account_id: cloudAccountID })}>{clipText(parentUID)}</a>
          </Fact>
        )}
        <Fact title="Discovered">
          <span title={timeText(createdAt)}>{ago(createdAt)}</span>, changed{' '}
          <span title={timeText(updatedAt)}>{ago(updatedAt)}</span>
        </Fact>
        <TeamAndGroups report={context} isHidden={resource.inReportScope === false} />
      </dl>
      <Tags resource={resource} context={context.data} />
      {context.problem && <ProblemMessage problem={context.problem} again={context.again} />}
    </Panel>
  )
}

const givenBy = { hand: 'assigned manually', rule: 'assigned by a rule', nobody: '' } as const

function TeamAndGroups({ report: { data }, isHidden }: { report: Report<Context>; isHidden: boolean }) {
  if (!may('service.view'))
    return (
      <Fact title="Team">
        <span class="faint">
          requires the permission <code>service.view</code>
        </span>
      </Fact>
    )
  if (isHidden)
    return (
      <Fact title="Team">
        <span class="faint">hidden from your role</span>
      </Fact>
    )
  if (!data) return null
  const { team, teamGivenBy, groups } = data
  return (
    <>
      <Fact title="Team">
        {team.id === 'unassigned' ? (
          <span>
            unassigned: <a href={hrefOf('teams', { team: 'unassigned' })}>assign a team</a>
          </span>
        ) : (
          <>
            <a href={hrefOf('teams', { team: team.id })}>{clipText(team.name)}</a>{' '}
            <span class="faint">{givenBy[teamGivenBy]}</span>
          </>
        )}
      </Fact>
      <Fact title="Groups">
        {groups.length === 0 ? (
          <span class="faint">none</span>
        ) : (
          groups.map(({ id, name }) => (
            <Fragment key={id}>
              <span class="tag clip" dir="auto" title={name}>
                {name}
              </span>{' '}
            </Fragment>
          ))
        )}
      </Fact>
    </>
  )
}

const sources = { cloud: 'from the cloud', smart: 'from a policy', auto: 'predicted, accepted' } as const

/** Without the right to costs only the cloud's are known. */
function Tags({ resource, context }: { resource: ResourceDetail; context: Context | undefined }) {
  const tags =
    context?.tags ?? Object.entries(resource.tags).map(([key, value]) => ({ key, value, source: 'cloud' as const }))
  if (tags.length === 0)
    return (
      <p class="faint">
        No tags. <a href={hrefOf('tags')}>Add tags without changing the cloud</a>
      </p>
    )
  return (
    <>
      <h3>Tags</h3>
      <ul class="chips" aria-label="Tags">
        {tags.map(({ key, value, source }) => (
          <li class="tag" key={key} title={`${key}: ${value}`}>
            <a href={hrefOf('inventory', { tag: value === '' ? key : `${key}:${value}` })}>
              <span class="clip" dir="auto">
                {key}
              </span>
              :{' '}
              <span class="clip" dir="auto">
                {value}
              </span>
            </a>{' '}
            <span class="faint">{sources[source]}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

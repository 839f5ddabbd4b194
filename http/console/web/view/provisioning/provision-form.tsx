/** Makes something: chosen from the catalog, and priced before. */
import { useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import { change, hrefOf, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { Act } from '../../part/act.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Next } from '../../part/next-step.tsx'
import { Panel } from '../../part/panel.tsx'
import { Empty, ReportContent } from '../../part/report-content.tsx'
import { ConfirmDialog } from '../../part/confirm-dialog.tsx'
import { endAt, namedTwice, tagPlaces, tagsOf, type Tag } from './draft.ts'
import { configOf, fieldsOf, rowsOf, valueFields, type ConfigDraft, type Field, type ListField } from './fields.ts'
import { OneField } from './one-field.tsx'
import { monthText, EstimateTable, type Estimate } from './price.tsx'
import { TagRows } from './tags.tsx'
import { useSpaces } from './use-spaces.ts'
import { kinds, type ProvisioningJob, type JobKind, type Space } from './labels.ts'

type Component = Reply<'GET /catalog/components/:componentID'>

const nothing: ProvisionDraft = { draft: {}, tags: [], end: '' }

const isKind = (text: string | undefined): text is JobKind => text !== undefined && Object.keys(kinds).includes(text)

export function ProvisionForm({ onClose, onDone }: { onClose: () => void; onDone: (job: ProvisioningJob) => void }) {
  const { report, spaces } = useSpaces()
  const kind = isKind(param('kind')) ? (param('kind') as JobKind) : 'datastore'
  const componentID = param('component')
  const isCluster = kind === 'component'
  // Who looks at another kind and comes back finds what was typed.
  const [typed, setTyped] = useState<Readonly<Record<string, ProvisionDraft>>>({})
  const of = `${kind} ${componentID ?? ''}`
  const fitting = spaces.filter((space) => space.status === 'active' && isCluster === (space.kind === 'cluster'))
  const chosen = fitting.find(({ id }) => id === param('space')) ?? fitting[0]
  const options = Object.entries(kinds).map(([value, title]) => ({ value, title }))
  return (
    <Panel
      title="Provision"
      tools={
        <button type="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <div class="form">
        <div class="row">
          <ChoiceField
            label="Type"
            value={kind}
            options={options}
            onValue={(value: string) => change({ kind: value, component: null })}
          />
          {fitting.length > 0 && (
            <ChoiceField
              label="Space"
              value={chosen?.id ?? ''}
              options={fitting.map(({ id, name, region }: Space) => ({ value: id, title: `${name} (${region})` }))}
              onValue={(space: string) => change({ space })}
            />
          )}
        </div>
      </div>
      {report.data && fitting.length === 0 && <NoSpace isCluster={isCluster} />}
      {isCluster && <Catalog chosen={componentID} />}
      {chosen && (
        <SelectedForm
          key={kind}
          kind={kind}
          componentID={componentID}
          space={chosen}
          typed={typed[of] ?? nothing}
          onTyped={(changes: Partial<ProvisionDraft>) =>
            setTyped({ ...typed, [of]: { ...(typed[of] ?? nothing), ...changes } })
          }
          onDone={onDone}
        />
      )}
    </Panel>
  )
}

const NoSpace = ({ isCluster }: { isCluster: boolean }) => (
  <Empty title={isCluster ? 'No cluster to install into.' : 'No space to provision in.'}>
    <p>
      {isCluster
        ? 'It requires a cluster provisioned here, or a space for an existing cluster.'
        : 'A space is an account in a region.'}{' '}
      <Next needs="space.create" what="Creating a space">
        <a href={hrefOf('provisioning', { tab: 'spaces' })}>Create a space</a>
      </Next>
    </p>
  </Empty>
)

interface SelectedFormProps extends Pick<FormProps, 'kind' | 'space' | 'typed' | 'onTyped' | 'onDone'> {
  componentID: string | undefined
}

/** The form of what was chosen; a component has a schema of its own. */
function SelectedForm({ componentID, ...rest }: SelectedFormProps) {
  const { kind } = rest
  const component = useReport('GET /catalog/components/:componentID', {
    params: { componentID: componentID ?? '' },
    when: kind === 'component' && componentID !== undefined,
  })
  if (kind !== 'component') return <Form {...rest} fields={fieldsOf[kind]} />
  if (componentID === undefined) return null
  return (
    <ReportContent report={component} rows={3}>
      {(data: Component) => <Form key={data.id} {...rest} component={data} fields={valueFields(data.values)} />}
    </ReportContent>
  )
}

type Components = Reply<'GET /catalog/components'>

function Catalog({ chosen }: { chosen: string | undefined }) {
  const report = useReport('GET /catalog/components')
  return (
    <ReportContent report={report} rows={3}>
      {(data: Components) => (
        <ul class="list catalog" aria-label="Components">
          {data.map(({ id, name, category, version, description }) => (
            <li key={id}>
              <button type="button" aria-pressed={id === chosen} onClick={() => change({ component: id })}>
                {name}
              </button>{' '}
              <span class="badge">{category}</span> <span class="faint">{version}</span>
              <span class="sub">{description}</span>
            </li>
          ))}
        </ul>
      )}
    </ReportContent>
  )
}

/** What was typed of one kind, or of one component. */
interface ProvisionDraft {
  draft: ConfigDraft
  tags: readonly Tag[]
  end: string
}

interface FormProps {
  kind: JobKind
  fields: readonly Field[]
  space: Space
  component?: Component | undefined
  typed: ProvisionDraft
  onTyped: (changes: Partial<ProvisionDraft>) => void
  onDone: (job: ProvisioningJob) => void
}

const isShorter = (field: ListField, before: ConfigDraft, changes: ConfigDraft): boolean =>
  changes[field.name] !== undefined && rowsOf(field, changes).length < rowsOf(field, before).length

/** What a price is of: a name changes none. */
const pricedBy = (what: { config: Readonly<Record<string, unknown>> }): string =>
  JSON.stringify({ ...what, config: { ...what.config, name: undefined } })

function Form({ kind, fields, space, component, typed, onTyped, onDone }: FormProps) {
  const { draft, tags, end } = typed
  const [asked, setAsked] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const estimating = useRequest('POST /provisioning-jobs/estimate')
  const making = useRequest('POST /provisioning-jobs')
  const config = component ? { componentID: component.id, values: configOf(fields, draft) } : configOf(fields, draft)
  const what = { spaceID: space.id, kind, config }
  const given = tagsOf(tags)
  const body = {
    ...what,
    ...(Object.keys(given).length > 0 && { tags: given }),
    ...(end !== '' && { expiresAt: endAt(end) }),
  }
  const isPriced = estimating.done !== undefined && asked === pricedBy(what)
  const problem = making.problem ?? estimating.problem
  const set = (changes: ConfigDraft) => {
    onTyped({ draft: { ...draft, ...changes } })
    // What was refused of a row stands by its number: it is of another one once a row is gone.
    if (!fields.some((field) => field.type === 'list' && isShorter(field, draft, changes))) return
    making.clear()
    if (estimating.problem) estimating.clear()
  }
  const price = (event: Event) => {
    event.preventDefault()
    making.clear()
    setAsked(pricedBy(what))
    void estimating.run({ body: what })
  }
  const at = component ? '/config/values' : '/config'
  return (
    <form class="form" onSubmit={price} noValidate>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          draft={draft}
          at={`${at}/${field.name}`}
          problem={problem}
          onChange={set}
        />
      ))}
      <TagRows tags={tags} problem={problem} onTags={(now: Tag[]) => onTyped({ tags: now })} />
      <TextField
        label="Expires on"
        type="date"
        value={end}
        onValue={(now: string) => onTyped({ end: now })}
        at="/expiresAt"
        problem={problem}
        hint="at the start of the day, UTC; leave empty to never expire"
      />
      <FormProblem
        problem={problem}
        fields={[...fields.map(({ name }) => `${at}/${name}`), '/tags', ...tagPlaces(tags), '/expiresAt']}
      />
      {estimating.done && <EstimateResult isPriced={isPriced} estimate={estimating.done} />}
      <Bar
        isPriced={isPriced && namedTwice(tags).length === 0}
        isBusy={estimating.isBusy}
        onMake={() => setIsAsked(true)}
      />
      {isAsked && estimating.done && (
        <ConfirmDialog
          operation="POST /provisioning-jobs"
          body={body}
          doing={making}
          title={`Provision this ${kinds[kind]}?`}
          action="Provision"
          closesOnProblem
          onDone={onDone}
          onClose={() => setIsAsked(false)}
        >
          <Happens kind={kind} space={space} component={component} estimate={estimating.done} end={end} />
        </ConfirmDialog>
      )}
    </form>
  )
}

const EstimateResult = ({ isPriced, estimate }: { isPriced: boolean; estimate: Estimate }) => (
  <div class={isPriced ? 'preview' : 'preview old'}>
    {!isPriced && <p class="note">The configuration has changed since this estimate. Estimate the cost again.</p>}
    <EstimateTable estimate={estimate} />
  </div>
)

const Bar = ({ isPriced, isBusy, onMake }: { isPriced: boolean; isBusy: boolean; onMake: () => void }) => (
  <p class="bar">
    <button type="submit" class={isPriced ? '' : 'main'} disabled={isBusy}>
      {isBusy ? 'Calculating…' : 'Estimate cost'}
    </button>
    <Act needs="provisioning.create" class={isPriced ? 'main' : ''} disabled={!isPriced} onClick={onMake}>
      Provision…
    </Act>
    {!isPriced && <span class="faint">Estimate the cost first.</span>}
  </p>
)

interface HappensProps extends Pick<FormProps, 'kind' | 'space' | 'component'> {
  estimate: Estimate
  end: string
}

function Happens({ kind, space, component, estimate, end }: HappensProps) {
  const beside = estimate.unknown.length > 0 ? `, excluding ${estimate.unknown.join('; ')}` : ''
  const until = end === '' ? '' : `, which happens automatically on ${end}`
  return (
    <>
      <p>
        {component ? (
          <>
            <strong>{component.name}</strong> is installed into
          </>
        ) : (
          <>A {kinds[kind]} is created in</>
        )}{' '}
        <strong dir="auto">{space.name}</strong> ({space.provider}, {space.region}), step by step. No further approval
        is needed.
      </p>
      <p>
        It costs about <strong>{monthText(estimate)}</strong> by list prices{beside}, until it is deleted{until}.
      </p>
      <p>To undo this, delete the job: everything it created is then deleted.</p>
    </>
  )
}

/** Uploads the files of a bill. Nothing of it counts before somebody has seen what it would replace and applied it. */
import { useState } from 'preact/hooks'
import { Clip } from '../../part/clip.tsx'
import { Act } from '../../part/act.tsx'
import { FormProblem } from '../../part/form.tsx'
import { Fields, placesOf, type FormField } from '../../part/form/field.tsx'
import { Panel } from '../../part/panel.tsx'
import { change } from '../../router.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { useReport } from '../../report.ts'
import { bytes } from '../../bytes.ts'
import { sendFiles, type FileUpload } from '../../upload.ts'

const providers = [
  { value: '', title: 'From the rows' },
  { value: 'aws', title: 'AWS' },
  { value: 'gcp', title: 'Google Cloud' },
  { value: 'azure', title: 'Azure' },
  { value: 'other', title: 'Other' },
]
const formats = ['auto', 'focus', 'aws-cur', 'azure-export', 'gcp-export'].map((value) => ({
  value,
  title: value === 'auto' ? 'Detect from columns' : value,
}))

const startDraft = () => ({ account: '', exported: '', provider: '', format: 'auto', rates: '' })
type Draft = ReturnType<typeof startDraft>

const fieldsOf = (accounts: readonly string[]): FormField<Draft>[] => [
  {
    name: 'account',
    label: 'Account',
    at: 'cloud_account_id',
    offered: accounts,
    isRequired: true,
    help: 'a connected account, or any name for an unconnected one',
  },
]

const optional: FormField<Draft>[] = [
  {
    name: 'exported',
    label: 'Exported at',
    kind: 'datetime-local',
    at: 'exported_at',
    help: 'leave empty for now; of two bills, the later one wins',
  },
  {
    name: 'rates',
    label: 'Exchange rates to USD',
    kind: 'code',
    at: 'rate',
    help: 'US dollars per unit: CAD=0.73 EUR=1.08',
  },
  { name: 'provider', label: 'Provider', kind: 'choice', options: providers, at: 'provider' },
  { name: 'format', label: 'Format', kind: 'choice', options: formats, at: 'format' },
]

type Running = FileUpload<'POST /billing/uploads'> & { sent: number; of: number }

export function Upload() {
  const [files, setFiles] = useState<readonly File[]>([])
  const [typed, setTyped] = useState(startDraft)
  const [running, setRunning] = useState<Running | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const accounts = (useReport('GET /cloud-accounts', { query: { limit: 100 } }).data?.items ?? []).map(({ id }) => id)
  const set = (changes: Partial<Draft>) => setTyped({ ...typed, ...changes })
  const submit = async (event: Event) => {
    event.preventDefault()
    setProblem(undefined)
    const sending = sendFiles('POST /billing/uploads', queryOf(typed), files, (sent, of) =>
      setRunning((now) => now && { ...now, sent, of }),
    )
    setRunning({ ...sending, sent: 0, of: files.reduce((sum, { size }) => sum + size, 0) })
    try {
      const { id } = await sending.answer
      setFiles([])
      change({ upload: id })
    } catch (error) {
      setProblem(problemOf(error))
    }
    setRunning(undefined)
  }
  return (
    <Panel title="Upload a bill">
      <form class="form" onSubmit={submit}>
        <Files files={files} setFiles={setFiles} isBusy={running !== undefined} />
        <Fields fields={fieldsOf(accounts)} draft={typed} set={set} problem={problem} />
        <details>
          <summary>More options: export time, currency, format</summary>
          <Fields fields={optional} draft={typed} set={set} problem={problem} />
        </details>
        <FormProblem problem={problem} fields={placesOf([...fieldsOf(accounts), ...optional])} />
        {running ? (
          <Progress running={running} />
        ) : (
          <p class="bar">
            <Act needs="space.update" type="submit" class="main" disabled={files.length === 0}>
              Upload and preview
            </Act>{' '}
            <span class="faint">Reports do not change until you apply it.</span>
          </p>
        )}
      </form>
    </Panel>
  )
}

const queryOf = ({ account, exported, provider, format, rates }: Draft) => ({
  cloud_account_id: account,
  exported_at: exported ? new Date(exported).toISOString() : undefined,
  provider,
  format,
  rate: rates.split(/[\s,;]+/).filter((one) => one !== ''),
})

interface FilesProps {
  files: readonly File[]
  setFiles: (files: readonly File[]) => void
  isBusy: boolean
}

function Files({ files, setFiles, isBusy }: FilesProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    setFiles([...(event.dataTransfer?.files ?? [])])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const chosen = (event: Event) => setFiles([...((event.target as HTMLInputElement).files ?? [])])
  return (
    <div class={isOver ? 'drop over' : 'drop'} onDrop={drop} onDragOver={over} onDragLeave={() => setOver(false)}>
      <label>
        All files of one bill: CSV, JSON or Parquet, plain, gzipped or zipped{' '}
        <input type="file" multiple disabled={isBusy} onChange={chosen} />
      </label>
      {files.length > 0 && (
        <ul class="list">
          {files.map(({ name, size }) => (
            <li key={name}>
              <Clip text={name} size="wide" />
              <span class="end figure">{bytes(size)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Progress({ running: { sent, of, stop } }: { running: Running }) {
  const isThere = sent > 0 && sent >= of
  return (
    <div class="bar" role="status">
      <progress max={of || 1} value={sent} aria-label="Share of the files uploaded" />
      <span>{isThere ? 'Upload complete. Reading and counting lines…' : `${bytes(sent)} of ${bytes(of)}`}</span>
      <button type="button" onClick={stop}>
        Stop
      </button>
    </div>
  )
}

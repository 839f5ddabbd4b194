/** How a resource stands: by a word, a shape and a colour. */

const shapes: Readonly<Record<string, string>> = {
  running: '●',
  stopped: '■',
  starting: '▲',
  stopping: '▼',
  pending: '◌',
}
const looks: Readonly<Record<string, string>> = { running: 'good', starting: 'warning', stopping: 'warning' }

export const Status = ({ status }: { status: string }) => (
  <span class={`badge ${looks[status] ?? ''}`}>
    <span aria-hidden="true">{shapes[status] ?? '○'} </span>
    {status}
  </span>
)

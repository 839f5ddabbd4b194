/** Icons by the name of what they stand for: drawn in the colour of the text, and no part of what is read out. */
const circle = (x: number, y: number, r: number): string =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0-${2 * r} 0`
const box = (x: number, y: number, width: number, height = width): string => `M${x} ${y}h${width}v${height}h-${width}z`

/** Lines on a square of 24 by 24. */
const paths: Readonly<Record<string, string>> = {
  overview: `M3.5 17a9 9 0 1 1 17 0M12 14l4-5`,
  costs: 'M4 20h16M7 16v-4M12 16V5M17 16V9',
  dashboards: `${box(3.5, 4, 7, 9)}${box(13.5, 4, 7, 5)}${box(3.5, 16, 7, 4)}${box(13.5, 12, 7, 8)}`,
  kubernetes: `M12 3l8 4.5v9L12 21l-8-4.5v-9z${circle(12, 12, 2.5)}`,
  anomalies: 'M12 4l9 16H3zM12 10v4M12 17v.1',
  teams: `${circle(9, 8, 3)}M3 20c0-4 2.5-6 6-6s6 2 6 6M16 5.2a3 3 0 0 1 0 5.6M17.5 14.3c2.3.7 3.5 2.7 3.5 5.7`,
  tags: 'M4 4h8l8 8-8 8-8-8zM8.5 8.5v.1',
  budgets: `${circle(12, 12, 8.5)}${circle(12, 12, 3.5)}`,
  allocation: 'M3 12h6l5-6h7M9 12l5 6h7',
  units: `M6 19L18 5${circle(7.5, 7, 2.5)}${circle(16.5, 17, 2.5)}`,
  recommendations: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.5.4.7 1 .7 1.6h5.6c0-.6.2-1.2.7-1.6A6 6 0 0 0 12 3z',
  savings: `${circle(12, 12, 8.5)}M12 7.5v9M8.5 13l3.5 3.5 3.5-3.5`,
  workflows: `${box(4, 4, 6)}${box(14, 14, 6)}M7 10v4a3 3 0 0 0 3 3h4`,
  commitments: 'M6 3h8l4 4v14H6zM9 12h6M9 16h6',
  'what-if': `${circle(12, 12, 9)}M9.5 9.5a2.5 2.5 0 1 1 3.8 2.1c-.9.6-1.3 1-1.3 2M12 16.5v.1`,
  schedules: `${circle(12, 12, 9)}M12 7v5l3.5 2`,
  groups: `${box(4, 4, 6.5)}${box(13.5, 4, 6.5)}${box(4, 13.5, 6.5)}${box(13.5, 13.5, 6.5)}`,
  scaling: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  events: `${box(4, 6, 16, 14)}M4 10.5h16M8 3.5v4M16 3.5v4`,
  provisioning: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 9v6M9 12h6',
  inventory: `${box(4, 4, 16, 6)}${box(4, 14, 16, 6)}M8 7v.1M8 17v.1`,
  resource: `${box(4, 4, 16, 6)}${box(4, 14, 16, 6)}M8 7v.1M8 17v.1`,
  live: 'M3 12h4l3-8 4 16 3-8h4',
  exports: 'M12 15V4m0 0 4 4m-4-4-4 4M4 14v5.5h16V14',
  currencies: 'M17.5 6.5a6.5 6.5 0 1 0 0 11M4 10.5h9M4 13.5h9',
  sources: 'M4 6.5c0-4 16-4 16 0v11c0 4-16 4-16 0zM4 6.5c0 4 16 4 16 0M4 12c0 4 16 4 16 0',
  'dead-letters': `${box(3, 5.5, 18, 13)}M3.5 6.5l8.5 7 8.5-7`,
  notifications: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 21h4',
  members: `${circle(12, 8, 4)}M4 21c0-4.5 3.5-7 8-7s8 2.5 8 7`,
  roles: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
  account: `${circle(12, 12, 9)}${circle(12, 10, 3)}M6.5 18.5c1-2.5 3-3.5 5.5-3.5s4.5 1 5.5 3.5`,
  security: `${box(5, 11, 14, 9)}M8 11V7.5a4 4 0 0 1 8 0V11`,
  settings: `M4 7.5h9M17 7.5h3M4 16.5h3M11 16.5h9${circle(15, 7.5, 2)}${circle(9, 16.5, 2)}`,
  saved: 'M6.5 3.5h11V21L12 16.5 6.5 21z',
  search: `${circle(10.5, 10.5, 6.5)}M20.5 20.5l-5-5`,
  link: 'M10 14a4 4 0 0 0 5.7 0l3.5-3.5a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.5 3.5a4 4 0 0 0 5.7 5.7l1.5-1.5',
  recent: 'M4 5v4.5h4.5M4.5 9.5A8.5 8.5 0 1 1 3.5 12M12 8v4.5l3 1.5',
  docs: 'M5 4h9l5 5v11H5zM14 4v5h5M9 13h6M9 16.5h6',
  action: 'M13 3L5 14h6l-1 7 9-11h-6z',
  check: 'M4.5 12.5l5 5 10-11',
  fold: 'M9 6l6 6-6 6',
}

export const Icon = ({ name, size = 16 }: { name: string; size?: number }) => (
  <svg
    class={`icon ${name === 'fold' ? 'turns' : ''}`}
    width={size}
    height={size}
    viewBox="0 0 24 24"
    aria-hidden="true"
  >
    <path d={paths[name] ?? paths['docs']!} />
  </svg>
)

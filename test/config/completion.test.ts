import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { completionOf } from '#config/command/integration/completion.ts'
import type { Command } from '#config/command/line/command.ts'

const command = (name: string, options: string[], isTable = false): Command => ({
  name,
  summary: '',
  usage: '',
  isTable,
  options: Object.fromEntries(options.map((one) => [one, { type: 'boolean' as const }])),
  about: {},
  run: async () => ({ text: '' }),
})
const commands = [
  command('bill list', ['org'], true),
  command('bill remove', ['all']),
  command('costs', ['from'], true),
]

/** What bash offers after these words; the last one is being typed. */
function offered(...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(' ')
  const script = `${completionOf('bash', commands)}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
}

describe('completion in bash', () => {
  it('offers groups, their commands, and the options of the command that is typed', () => {
    expect(offered('tidemark', '')).to.deep.equal(['bill', 'costs'])
    expect(offered('tidemark', 'c')).to.deep.equal(['costs'])
    expect(offered('tidemark', 'bill', '')).to.deep.equal(['list', 'remove'])
    expect(offered('tidemark', 'bill', 'list', '--')).to.deep.equal(['--org', '--json', '--csv', '--help'])
    expect(offered('tidemark', 'bill', 'remove', '--a')).to.deep.equal(['--all'])
    expect(offered('tidemark', 'costs', '--f')).to.deep.equal(['--from'])
  })
})

describe('completion in other shells', () => {
  it('is that of bash in zsh, and one line for each word in fish', () => {
    expect(completionOf('zsh', commands).split('\n')[0]).to.equal('#compdef tidemark')
    const fish = completionOf('fish', commands).split('\n')
    expect(fish[1]).to.equal('complete -c tidemark -n __fish_use_subcommand -f -a "bill costs"')
    expect(fish).to.include(
      'complete -c tidemark -n "__fish_seen_subcommand_from bill; and __fish_seen_subcommand_from remove" -l all',
    )
  })
})

import assert from 'node:assert/strict';
import { expectExit, outputOf, type SandboxContractCase, sandboxCase } from './contract-case.ts';

const keepsState: SandboxContractCase['needs'] = (capabilities) => capabilities.keepsShellState;

/** What survives from one command to the next. */
export const stateCases: readonly SandboxContractCase[] = [
  sandboxCase(
    'keeps folder, variables, functions, aliases and file mode mask',
    async (sandbox) => {
      const result = await sandbox.run('mkdir -p ~/d && cd ~/d && export A="1 2" && f() { echo f$1; } && umask 027');
      assert.equal(result.cwd, sandbox.cwd);
      await sandbox.run('alias hey="echo alias"');
      assert.equal(
        await outputOf(sandbox, 'pwd; echo "$A"; f 3; umask; hey'),
        `${sandbox.home}/d\n1 2\nf3\n0027\nalias\n`,
      );
    },
    keepsState,
  ),
  sandboxCase(
    'keeps them also after exit and set -e',
    async (sandbox) => {
      expectExit(await sandbox.run('cd /; export A=1; exit 3'), 3);
      assert.equal(await outputOf(sandbox, 'pwd; echo $A'), '/\n1\n');
      expectExit(await sandbox.run('set -e; cd /usr; export A=2; false; echo never'), 1);
      assert.equal(await outputOf(sandbox, 'pwd; echo $A; case $- in *e*) echo -e kept;; esac'), '/usr\n2\n');
    },
    keepsState,
  ),
  sandboxCase(
    'lets commands make files with the file mode mask of the sandbox, not with one of its own',
    async (sandbox) => {
      const command = 'umask; rm -rf ~/made; mkdir ~/made; touch ~/made/file; stat -c %a ~/made ~/made/file';
      // What a backend hides from others is its own; a machine may have the same mask for everybody.
      const mask = sandbox.kind === 'local' ? process.umask() : 0o022;
      const modes = [0o777, 0o666].map((mode) => (mode & ~mask).toString(8));
      const expected = `${mask.toString(8).padStart(4, '0')}\n${modes.join('\n')}\n`;
      assert.equal(await outputOf(sandbox, command), expected);
      assert.equal(await outputOf(sandbox, command), expected);
      assert.equal((await sandbox.run(command, { isStateless: true })).output, expected);
      assert.equal((await sandbox.runProgram(['sh', '-c', command])).output, expected);
      const background = await sandbox.spawn(command);
      await background.wait();
      assert.equal(Buffer.from((await background.readOutput(0)).bytes).toString(), expected);
    },
  ),
  sandboxCase(
    'is not disturbed by set -x, set -u, noclobber and a failing last command',
    async (sandbox) => {
      const result = await sandbox.run('set -uC; export B=1; set -x; cd /usr');
      assert.doesNotMatch(result.output, /talaria|TALARIA|builtin export/);
      await sandbox.run('export C=1; set -C; cd /; false');
      assert.equal(await outputOf(sandbox, 'pwd; echo $B$C'), '/\n11\n');
    },
    keepsState,
  ),
  sandboxCase(
    'forgets a variable that was unset',
    async (sandbox) => {
      await sandbox.run('export GONE=1');
      await sandbox.run('unset GONE LANG');
      assert.equal(await outputOf(sandbox, 'printenv GONE LANG || echo unset'), 'unset\n');
    },
    keepsState,
  ),
  sandboxCase(
    'keeps the state before a command that replaces its shell or is killed',
    async (sandbox) => {
      await sandbox.run('cd /usr; export A=kept');
      expectExit(await sandbox.run('cd /; export A=lost; exec sh -c "exit 7"'), 7);
      expectExit(await sandbox.run('cd /; export A=lost; kill -9 $$'), 137);
      assert.equal(await outputOf(sandbox, 'pwd; echo $A'), '/usr\nkept\n');
    },
    keepsState,
  ),
  sandboxCase(
    'does not take over a folder that one call named, unless the command moves',
    async (sandbox) => {
      await sandbox.run('true', { cwd: '/usr' });
      assert.equal(sandbox.cwd, sandbox.home);
      await sandbox.run('cd /', { cwd: '/usr' });
      assert.equal(sandbox.cwd, '/');
    },
    keepsState,
  ),
  sandboxCase(
    'goes on in the nearest folder above when its own is gone, and says so once',
    async (sandbox) => {
      await sandbox.run('mkdir -p ~/a/b && cd ~/a/b && rm -r ~/a');
      assert.match(await outputOf(sandbox, 'echo on'), /a\/b is gone; going on in .*\non\n$/s);
      assert.equal(await outputOf(sandbox, 'pwd'), `${sandbox.home}\n`);
    },
    keepsState,
  ),
  sandboxCase(
    'keeps values with quotes, line breaks and every printable character',
    async (sandbox) => {
      const value = `a'b"c\\d\n\t$HOME \`x\` *?[]{}~!#&;|<>() é🙂`;
      await sandbox.run('export ODD="$VALUE"', { env: { VALUE: value } });
      assert.equal(await outputOf(sandbox, 'printf %s "$ODD"'), value);
    },
    keepsState,
  ),
  sandboxCase(
    'remembers the folder before, for cd -',
    async (sandbox) => {
      await sandbox.run('cd /usr');
      await sandbox.run('cd /');
      assert.equal(await outputOf(sandbox, 'cd - >/dev/null; pwd'), '/usr\n');
    },
    keepsState,
  ),
  sandboxCase(
    'leaves a stateless call without the state and the state without the call',
    async (sandbox) => {
      await sandbox.run('export A=1');
      assert.equal(
        await outputOf(sandbox, 'printenv A || echo unset; export B=1; cd /', { isStateless: true }),
        'unset\n',
      );
      assert.equal(await outputOf(sandbox, 'printenv B || echo unset; pwd'), `unset\n${sandbox.home}\n`);
    },
    keepsState,
  ),
  sandboxCase(
    'is not led astray by variables of the shell that were made read-only',
    async (sandbox) => {
      for (const name of ['PWD', 'OLDPWD', 'TALARIA_EXEC_ID', 'TALARIA_SANDBOX_ID', '__talaria_cwd', '__talaria_old']) {
        await sandbox.run(`declare -rx ${name}`, { timeoutMs: 2_000 });
      }
      assert.equal(await outputOf(sandbox, 'cd /usr; pwd', { timeoutMs: 5_000 }), '/usr\n');
      assert.equal(await outputOf(sandbox, 'pwd', { timeoutMs: 5_000 }), '/usr\n');
    },
    keepsState,
  ),
  sandboxCase(
    'keeps functions that POSIX mode has no names for, and that mode',
    async (sandbox) => {
      await sandbox.run('my-function() { echo "called"; }; export POSIXLY_CORRECT=1');
      assert.equal(
        await outputOf(sandbox, 'my-function; echo $POSIXLY_CORRECT; set -o | grep posix'),
        'called\n1\nposix          \ton\n',
      );
      await sandbox.run('unset POSIXLY_CORRECT; set -o posix');
      assert.equal(await outputOf(sandbox, 'my-function; set -o | grep posix'), 'called\nposix          \toff\n');
    },
    keepsState,
  ),
  sandboxCase(
    'keeps the state under traps of the command, and beside a function that is called builtin',
    async (sandbox) => {
      await sandbox.run('set -T; trap "echo trapped" DEBUG ERR RETURN; export A=1; builtin() { echo called; }');
      const { output } = await sandbox.run('cd /usr; pwd; echo $A');
      assert.equal(output, '/usr\n1\n');
    },
    keepsState,
  ),
  sandboxCase(
    'gives the exit code of a command that limited the size of files',
    async (sandbox) => {
      expectExit(await sandbox.run('ulimit -f 0; exit 3'), 3);
      assert.equal(await outputOf(sandbox, 'echo on'), 'on\n');
    },
    keepsState,
  ),
];

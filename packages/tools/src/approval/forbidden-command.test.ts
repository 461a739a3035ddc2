import { describe, expect, test } from '@jest/globals';
import { thoroughRuns } from '@talaria/testing-services/services';
import fc from 'fast-check';
import { findForbiddenCommand } from './forbidden-command.ts';
import { readShellCommands } from './shell-commands.ts';

describe('forbidden', () => {
  test.each([
    'rm -rf /',
    'rm -fr /',
    'rm -r -f /',
    'rm --recursive --force /',
    'rm -rf --no-preserve-root /',
    'rm -rf //',
    'rm -rf /.',
    'rm -rf /tmp/..',
    'rm -rf /*',
    'rm -rf /etc',
    'rm -rf /usr/',
    'rm -rf /home/*',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf ~/*',
    'rm -rf ~root',
    'rm -rf $HOME',
    'rm -rf "$HOME"',
    `rm -rf \${HOME}`,
    `rm -rf "\${HOME:-/}"`,
    'rm -rf "$HOME"/*',
    "rm -rf '/'",
    'rm -rf "/"',
    'rm -rf \\/',
    "r'm' -rf /",
    '"rm" -rf /',
    "rm -rf $'\\x2f'",
    "rm -rf $'\\057etc'",
    '/bin/rm -rf /',
    'sudo rm -rf /',
    'sudo -u root rm -rf /',
    'sudo -n -- rm -rf /',
    'env X=1 rm -rf ~',
    'env -u PATH rm -rf ~',
    'X=1 Y=2 rm -rf /',
    'nohup rm -rf / &',
    'nice -n 10 rm -rf /',
    'timeout 5 rm -rf /',
    'timeout -s KILL 5 rm -rf /',
    'setsid nohup sudo env A=b rm -rf /',
    'command rm -rf /',
    'exec rm -rf /',
    'true; rm -rf /',
    'true && rm -rf /',
    'false || rm -rf /',
    'yes | rm -rf /',
    'true\nrm -rf /',
    'true & rm -rf /',
    '$(rm -rf /)',
    'echo $(rm -rf /)',
    'echo "$(rm -rf /)"',
    'echo `rm -rf /`',
    'echo "`rm -rf /`"',
    `echo \${X:-$(rm -rf /)}`,
    '(rm -rf /)',
    '{ rm -rf /; }',
    'if true; then rm -rf /; fi',
    'for i in 1; do rm -rf /; done',
    'cat <(rm -rf /)',
    'bash -c "rm -rf /"',
    "sh -c 'rm -rf /'",
    'sudo bash -lc "cd / && rm -rf *"',
    'eval "rm -rf /"',
    'eval rm -rf /',
    'bash -c "bash -c \'rm -rf /\'"',
    'bash <<EOF\nrm -rf /\nEOF',
    'cat <<EOF\n$(rm -rf /)\nEOF',
    'bash <<< "rm -rf /"',
    'cd / && rm -rf *',
    'cd / ; rm -rf etc',
    'cd /srv && rm -rf *',
    'find / -delete',
    'find / -name "*" -delete',
    'find ~ -delete',
    'find /etc -exec rm -rf {} +',
    'xargs rm -rf / < list',
    ':(){ :|:& };:',
    ':(){:|:&};:',
    ': ( ) { : | : & } ; :',
    'bomb() { bomb | bomb & }; bomb',
    'function b() { b|b& }; b',
    'mkfs.ext4 /dev/sda1',
    'sudo mkfs -t ext4 /dev/sdb',
    'wipefs -a /dev/sda',
    'dd if=/dev/zero of=/dev/sda bs=1M',
    'cat image > /dev/nvme0n1',
    'cat image | tee /dev/vda',
    'cp image.iso /dev/sdb',
    'kill -9 -1',
    'kill -9 1',
    'kill 1',
    'kill -s KILL 1',
    'kill -- -1',
    'shutdown -h now',
    'sudo reboot',
    'halt',
    'poweroff',
    'init 0',
    'systemctl poweroff',
    'systemctl --force reboot',
    'echo "me ALL=(ALL) NOPASSWD: ALL" >> /etc/sudoers',
    'echo x | sudo tee -a /etc/sudoers.d/me',
    'cp passwd /etc/passwd',
    'sed -i s/x/y/ /etc/shadow',
    'echo x >| /etc/passwd',
    'echo x &> /etc/passwd',
    'chmod -R 777 /',
    'chown -R me:me /',
    'sudo chown --recursive me /',
  ])('%p', (script) => {
    expect(findForbiddenCommand(script)).toEqual(expect.any(String));
  });
});

describe('allowed', () => {
  test.each([
    'echo "rm -rf /"',
    "echo 'rm -rf /'",
    'echo rm -rf /',
    'printf "%s" "$(echo rm -rf /)"',
    "grep -r 'rm -rf /' .",
    'git commit -m "never run rm -rf / again"',
    '# rm -rf /',
    'true # rm -rf /',
    "cat > script.sh <<'EOF'\nrm -rf /\nEOF",
    'cat > script.sh <<EOF\nrm -rf /\nEOF',
    'rm -rf build',
    'rm -rf ./build /tmp/work',
    'rm -rf /tmp/*',
    'rm -rf /home/me/project/build',
    'rm -rf ~/project/node_modules',
    'rm -rf "$HOME/project"',
    "rm -rf '$HOME'",
    "rm -rf '~'",
    'rm -rf \\$HOME',
    'rm /etc',
    'rm -f /tmp',
    'rm -rf "$BUILD"',
    'cd /srv/project && rm -rf *',
    'find . -delete',
    'find /tmp/work -name "*.o" -delete',
    'find / -name core',
    'dd if=/dev/zero of=disk.img bs=1M count=1',
    'cat /etc/passwd',
    'cat < /etc/passwd',
    'cp /etc/passwd copy',
    'ls > /dev/null 2>&1',
    'echo x > /dev/stderr',
    'kill -1 1234',
    'kill -9 1234',
    'kill %1',
    'pkill -9 node',
    'systemctl status ssh',
    'init_db 0',
    'chmod -R 755 .',
    'chmod 755 /',
    'chown -R me /srv/app',
    'man shutdown',
    'echo reboot',
    'f() { g | g & }; f',
    'mkfs',
    '',
    '   ',
  ])('%p', (script) => {
    expect(findForbiddenCommand(script)).toBeUndefined();
  });
});

describe('readShellCommands', () => {
  test('resolves quotes as bash does', () => {
    const [command] = readShellCommands(`a"b c"'d e'\\ f "\\$x" '\\$x' "$HOME" 2>&1 >out`);
    expect(command).toEqual({
      words: ['ab cd e f', '$x', '\\$x', '\u0001'],
      redirects: [
        { operator: '>&', target: '1' },
        { operator: '>', target: 'out' },
      ],
      input: '',
    });
  });

  test('never throws and always ends, whatever it is given', () => {
    const piece = fc.constantFrom(
      ...[
        '$(',
        ')',
        '`',
        '"',
        "'",
        '\\',
        '{',
        '}',
        '${',
        '<<EOF',
        '\n',
        'EOF',
        ';',
        '&',
        '|',
        '>',
        '<',
        '<(',
        "$'",
        '~',
        '#',
        ' ',
        'rm',
        '-rf',
        '/',
        '()',
        ':',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        expect(Array.isArray(readShellCommands(pieces.join('')))).toBe(true);
        findForbiddenCommand(pieces.join(''));
      }),
      { numRuns: thoroughRuns(2_000) },
    );
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void findForbiddenCommand(text)));
  });

  test('two hundred thousand commands within a document do not hide the one behind it', () => {
    const script = `cat <<E\n${'$(a)'.repeat(200_000)}\nE\nrm -rf /`;
    expect(findForbiddenCommand(script)).toContain('deleting');
  });

  test.each([
    ['$(', 100_000],
    ['`', 100_000],
    ['(', 100_000],
    ['"', 100_001],
    ["$'\\", 100_000],
    ['${', 50_000],
    ['<<E\n', 5_000],
    ['a;', 200_000],
    ['sudo ', 50_000],
    ['$(a)', 200_000],
  ])('%p many times over ends', (piece, count) => {
    expect(() => findForbiddenCommand(piece.repeat(count))).not.toThrow();
  });

  test.each([
    ['quotes with backslashes that never end', `echo "${'\\"'.repeat(50_000)}`],
    ['slashes that are not the end of a path', `rm -rf a${'/'.repeat(200_000)}b`],
  ])('%s are read in one pass', (_what, script) => {
    const startedAt = performance.now();
    expect(findForbiddenCommand(script)).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test('a quote that never ends hides no fork bomb', () => {
    expect(findForbiddenCommand('true # 3.5" disks\n:(){ :|:& };:')).toBe('fork bomb');
    expect(findForbiddenCommand('true\nbomb()\n{\n  bomb | bomb &\n}\nbomb')).toBe('fork bomb');
    expect(findForbiddenCommand('echo ":(){ :|:& };:"')).toBeUndefined();
    expect(findForbiddenCommand('echo "\\":(){ :|:& };:"')).toBeUndefined();
  });
});

/** Pages that both drivers show, by path; `POST` before those that forms are sent to. */
export const contractPages: Readonly<Record<string, string>> = {
  '/': `<!doctype html><title>Shop</title><main><h1>Shop</h1><p>Two <b>fine</b> things</p>
    <ul><li><a href="/things/1">First thing</a></li><li><a href="/things/2?colour=red">Second thing</a></li></ul>
    <img src="/logo.png" alt="Logo" width="20" height="10">
    <form action="/search"><label for="q">Search for</label><input id="q" name="q" value="old"><button name="go" value="1">Go</button></form>
    <form action="/order" method="post"><input name="who" aria-label="Who"><input type="password" name="code" aria-label="Code" value="pre set">
      <select name="size" aria-label="Size"><option>Small</option><option>Large</option></select>
      <input type="checkbox" name="gift" id="gift"><label for="gift">Gift</label><button>Order</button></form></main>`,
  '/things/1': '<title>First</title><h1>First thing</h1><a href="/">Home</a>',
  '/things/2?colour=red': '<title>Second</title><h1>Second thing</h1>',
  '/search?q=new+thing&go=1': '<title>Found</title><h1>One found</h1>',
  '/search?q=old&go=1': '<title>Old</title><h1>Old found</h1>',
  'POST /order?who=Me&code=s3cret&size=Large&gift=on': '<title>Thanks</title><h1>Ordered</h1>',
  '/loop': '<meta http-equiv="refresh" content="0;url=/loop"><title>Loop</title>',
  '/broken': '<title>Broken<p>text<div><a href="/">Home<b>bold</i></div><table><td>cell',
  '/broken2': '<h1>Head<p>para<ul><li>one<li><a href=/>Home</a><b>bold</i></ul><button>Push<div></span></main>',
  '/long': `<title>Long</title><h1>Long</h1>${Array.from({ length: 400 }, (_, index) => `<p>Paragraph number ${index} with some words</p>`).join('')}<a href="/">Home</a>`,
};
